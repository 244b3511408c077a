# The front door: `make demo` and `make test` do everything, on a machine that has nothing yet.
# What stands behind it is plain CMake; HACKING.md says how to use that directly.

BUILD := build/release

.PHONY: help demo view test build configure configure-demo format lint debug sanitize asan tsan odr bare nightly clean

help:
	@echo 'make demo     install what is missing, build, run the demo; its report is build/demo/demo.html'
	@echo 'make view     the same on a live page, with what that needs'
	@echo 'make test     install what is missing, build, run all tests'
	@echo 'make build    the same without running anything; the command is $(BUILD)/kinema'
	@echo 'make format   rewrite the sources as clang-format wants them'
	@echo 'make lint     clang-format and clang-tidy, changing nothing'
	@echo 'make debug    build without optimisation, compare definitions across object files, run the suites'
	@echo 'make sanitize the suites under the address, undefined-behaviour and thread sanitizers'
	@echo 'make bare     build and test with nothing optional'
	@echo 'make nightly  everything that is too slow for every change'
	@echo 'make clean    remove build/'

demo: configure-demo
	cmake --build --preset release --target kinema_command
	$(BUILD)/kinema demo --out build/demo

view: PARTS += web
view: configure
	cmake --build --preset release --target kinema_command
	$(BUILD)/kinema demo --out build/demo --view

test: PARTS += browser
test: build
	ctest --preset release --parallel $$(nproc)

build: PARTS += web
build: configure
	cmake --build --preset release

# A demo alone does without what it cannot use, to be there sooner: without a GPU the cuda backend, half of whose compile
# time goes into machine code for one. `make build` and `make test` add it.
WITHOUT_CUDA := $(BUILD)/without-cuda
configure-demo:
	@scripts/setup.sh demo
	@if [ -e $(BUILD)/CMakeCache.txt ] || ls /dev/nvidia* /dev/nvhost* /dev/dxg >/dev/null 2>&1; then \
	  cmake --preset release; \
	else \
	  cmake --preset release -DKINEMA_CUDA=OFF && touch $(WITHOUT_CUDA); \
	fi

configure:
	@scripts/setup.sh build $(PARTS)
	@if [ -e $(WITHOUT_CUDA) ]; then cmake --preset release -DKINEMA_CUDA=ON && rm $(WITHOUT_CUDA); \
	else cmake --preset release; fi

format:
	@scripts/setup.sh format
	@scripts/format.sh --fix

# clang-tidy cannot read g++'s precompiled headers
lint:
	@scripts/setup.sh build lint
	@scripts/format.sh
	@cmake --preset lint
	@scripts/tidy.py build/lint

debug:
	@scripts/setup.sh build
	@cmake --preset debug
	cmake --build --preset debug
	scripts/check_objects.py build/debug
	ctest --preset debug --parallel $$(nproc)

sanitize: asan tsan

asan tsan:
	@scripts/setup.sh build web
	@cmake --preset $@
	cmake --build --preset $@
	ctest --preset $@ --parallel $$(nproc)

# types that differ between files, found by the linker, which sees all of a program
odr:
	@scripts/setup.sh build web
	@cmake --preset odr
	cmake --build --preset odr

bare:
	@scripts/setup.sh build
	@cmake --preset bare
	cmake --build --preset bare
	ctest --preset bare --parallel $$(nproc)

nightly:
	.ci/nightly

clean:
	rm -rf build
