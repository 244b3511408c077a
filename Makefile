# The front door: `make demo` and `make test` do everything, on a machine that has nothing yet.
# What stands behind it is plain CMake; HACKING.md says how to use that directly.

BUILD := build/release

.PHONY: help demo view test build configure format lint sanitize fuzz bare clean

help:
	@echo 'make demo     install what is missing, build, run the demo; its report is build/demo/demo.html'
	@echo 'make view     the same on a live page, with what that needs'
	@echo 'make test     install what is missing, build, run all tests'
	@echo 'make build    the same without running anything; the command is $(BUILD)/kinema'
	@echo 'make format   rewrite the sources as clang-format wants them'
	@echo 'make lint     clang-format and clang-tidy, changing nothing'
	@echo 'make sanitize the library under the address and undefined-behaviour sanitizers'
	@echo 'make fuzz     fuzz every reader of bytes from outside for a minute (FUZZ_SECONDS=60)'
	@echo 'make bare     build and test with nothing optional'
	@echo 'make clean    remove build/'

demo: configure
	cmake --build --preset release --target kinema_command
	$(BUILD)/kinema demo --out build/demo

# what a part needs beyond the build itself; the demo does without, to be there sooner
view build: PARTS += web
test: PARTS += browser

view: configure
	cmake --build --preset release --target kinema_command
	$(BUILD)/kinema demo --out build/demo --view

test: build
	ctest --preset release --parallel $$(nproc)

build: configure
	cmake --build --preset release

configure:
	@scripts/setup.sh build $(PARTS)
	@cmake --preset release

format:
	@scripts/setup.sh format
	@scripts/format.sh --fix

# clang-tidy cannot read g++'s precompiled headers
lint:
	@scripts/setup.sh build lint
	@scripts/format.sh
	@cmake --preset release -B build/lint -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON
	@scripts/tidy.sh build/lint

sanitize:
	@scripts/setup.sh build
	@cmake --preset asan
	cmake --build --preset asan --target test_core test_body test_head test_face test_io test_synth
	for suite in test_core test_body test_head test_face test_io test_synth; do \
	  build/asan/$$suite --gtest_brief=1 --gtest_filter='-*/cuda*:*Limits*' || exit 1; done

fuzz:
	@scripts/setup.sh build fuzz
	@scripts/fuzz.sh

bare:
	@scripts/setup.sh build
	@cmake --preset bare
	cmake --build --preset bare
	ctest --preset bare --parallel $$(nproc)

clean:
	rm -rf build
