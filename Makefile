# `make demo` and `make test` do everything, starting from a bare Debian machine. They call CMake, which can also be used
# directly: see HACKING.md.

BUILD := build/release

.PHONY: help demo view test build configure configure-demo format lint debug sanitize asan tsan odr fuzz hostile bare \
  nightly docs packages wheel release clean

help:
	@echo 'make demo     install missing packages, build, run the demo; its report is build/demo/demo.html'
	@echo 'make view     the same on a live page'
	@echo 'make test     install missing packages, build, run all tests'
	@echo 'make build    install missing packages and build; the command is $(BUILD)/kinema'
	@echo 'make format   format the sources with clang-format'
	@echo 'make lint     check the sources with clang-format and clang-tidy'
	@echo 'make debug    build without optimisation, check for conflicting definitions, run the tests'
	@echo 'make sanitize run the tests with the address, undefined-behaviour and thread sanitizers'
	@echo 'make fuzz     fuzz every reader of outside data for a minute (FUZZ_SECONDS=60)'
	@echo 'make hostile  kill it at random moments, fill its disk, send it what is none (HOSTILE_RUNS=100 each)'
	@echo 'make bare     build and test without any optional part'
	@echo 'make nightly  all checks that are too slow for CI'
	@echo 'make docs     the documentation as a site, build/docs/html/index.html'
	@echo 'make packages Debian packages, in build/dist'
	@echo 'make wheel    a wheel for /usr/bin/python3, in build/dist'
	@echo 'make release  both of the tag that is checked out, with sources, checksums and what they are made of'
	@echo 'make clean    remove build/'

demo: configure-demo
	cmake --build $(BUILD) --target kinema_command
	$(BUILD)/kinema demo --out build/demo

view: PARTS += web
view: configure
	cmake --build $(BUILD) --target kinema_command
	$(BUILD)/kinema demo --out build/demo --view

test: PARTS += browser
test: PARTS += web
test: configure
	cmake --build $(BUILD)
	ctest --preset quick --parallel $$(nproc)

build: PARTS += web
build: configure
	cmake --preset release
	cmake --build --preset release

# There may be a build already: it is brought up to date as it was configured. A first one is for developers (see HACKING.md).
HAS_BUILD = [ -e $(BUILD)/CMakeCache.txt ]

# On a machine without a GPU the first `make demo` skips the cuda backend, which takes minutes to compile and could not run.
# All others add it.
WITHOUT_CUDA := $(BUILD)/without-cuda
configure-demo:
	@scripts/setup.sh demo
	@if $(HAS_BUILD); then cmake $(BUILD); \
	elif ls /dev/nvidia* /dev/nvhost* /dev/dxg >/dev/null 2>&1; then cmake --preset quick; \
	else cmake --preset quick -DKINEMA_CUDA=OFF && touch $(WITHOUT_CUDA); fi

configure:
	@scripts/setup.sh build $(PARTS)
	@if [ -e $(WITHOUT_CUDA) ]; then cmake $(BUILD) -DKINEMA_CUDA=ON && rm $(WITHOUT_CUDA); \
	elif $(HAS_BUILD); then cmake $(BUILD); \
	else cmake --preset quick; fi

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

# link-time check that types of the same name are the same in all files
odr:
	@scripts/setup.sh build web
	@cmake --preset odr
	cmake --build --preset odr

fuzz:
	@scripts/setup.sh build fuzz
	@scripts/fuzz.sh

HOSTILE_RUNS ?= 100
hostile: PARTS += web
hostile: configure
	cmake --build $(BUILD)
	tests/hostile/hostile.py $(BUILD)/kinema --runs $(HOSTILE_RUNS)

bare:
	@scripts/setup.sh build
	@cmake --preset bare
	cmake --build --preset bare
	ctest --preset bare --parallel $$(nproc)

nightly:
	.ci/nightly

docs: PARTS += web
docs: PARTS += docs
docs: configure
	cmake --build $(BUILD) --target kinema_command
	scripts/make_docs.py build/docs --command $(BUILD)/kinema

packages:
	@scripts/setup.sh build web packages
	scripts/make_packages.sh

wheel:
	@scripts/setup.sh build web packages
	/usr/bin/python3 scripts/make_wheel.py

release:
	@scripts/setup.sh build web packages
	scripts/make_release.sh

clean:
	rm -rf build
