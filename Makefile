# SPDX-License-Identifier: MIT
# The whole developer interface; `make` lists it. The scripts do the work.

FUZZ_SECONDS ?= 60
CRASHES ?= 100
RUNS ?= 20
LAB_TIMEOUT ?= 2400
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SWIFT_FILES = Sources Tests Benchmarks Fuzz Package.swift
export FUZZ_SECONDS LAB_TIMEOUT
# Warnings are errors (see Package.swift).
export LIVECAP_STRICT = 1
# Builds an optimised product, and nothing that it does not need. `livecap version` reports the commit.
release = LIVECAP_COMMIT="$$(scripts/commit)" swift build -c release -j $(JOBS) --product $(1)
.DEFAULT_GOAL := help
.PHONY: help setup effects build demo demo-library quick test test-devices test-browser test-movies test-view test-web \
	test-fresh test-arm64 test-stills test-consumer bench figures asan tsan leaks crash fuzz model docs steady nightly \
	install uninstall deb test-deb debs repository test-debs rpm test-rpm tarball test-tarball test-ffmpeg \
	format check clean

help:            ## list the targets
	@sed -nE 's/^([a-z0-9-]+):[^#]*## (.*)/\1|\2/p' Makefile | while IFS='|' read -r name does; do \
		printf '  make %-14s %s\n' "$$name" "$$does"; done

setup:           ## install all Debian packages of scripts/packages.txt, and fetch what effects need
	@scripts/packages install
	@scripts/effects fetch || echo "setup: effects are left out; 'make effects' tries again" >&2

effects:         ## fetch what effects need from PyPI: a runtime for neural nets, and models
	@scripts/packages require effects
	@scripts/effects fetch

build:           ## build the program and its benchmarks, in release mode
	@scripts/packages require build
	$(call release,livecap)
	$(call release,livecap-bench)

demo:            ## install what is missing, build, take pictures and say where they are
	@scripts/demo -j $(JOBS)

demo-library:    ## show that a library loses nothing: ten taps, proxies, finals, and a kill meanwhile
	@scripts/packages require build
	$(call release,livecap)
	@scripts/demo-library

quick:           ## after each edit: build what changed, and run the tests that take seconds
	@scripts/packages require build test
	@scripts/quick -j $(JOBS)

test: check      ## run all checks and tests that need no virtual machine
	@scripts/packages require build test
	swift build --build-tests -j $(JOBS)
	@scripts/tests test swift test --skip-build
	$(call release,livecap-bench)
	$(call release,FramePathProbe)
	@scripts/gates

test-devices:    ## test the program with virtual and USB cameras, in a virtual machine
	@scripts/packages require build devices
	swift build --build-tests -j $(JOBS)
	@scripts/tests devices scripts/test-devices

test-browser:    ## see cameras of `share` and `run` with Chromium's getUserMedia, and effects in all places
	@scripts/packages require build browser effects
	@scripts/effects fetch
	$(call release,livecap)
	@scripts/test-browser
	@scripts/test-browser effects

test-movies:     ## have Chromium play movies of each kind to their ends
	@scripts/packages require build test browser
	$(call release,livecap)
	@scripts/test-movies

test-view:       ## open windows on X and Wayland without a screen, press keys, and compare pictures with screenshots
	@scripts/packages require build test view
	$(call release,livecap)
	@scripts/test-view

test-web:        ## run the tests that need a browser: pages over slow networks, keys, accessibility, hostile clients
	@scripts/packages require build test web
	swift build --build-tests -j $(JOBS)
	$(call release,livecap)
	@scripts/test-web

test-fresh:      ## run README's first commands in a minimal Debian, where they must install all they need
	@scripts/test-fresh

test-arm64:      ## test the kernels in emulation of arm64, against the results of the references
	@scripts/packages require build arm64
	$(call release,kernel-vectors)
	@scripts/test-arm64

test-consumer:   ## build and run a program that uses the library, by path and URL, with both build systems
	@scripts/packages require build
	@scripts/test-consumer

test-stills:     ## check that stills have the same bits as before
	@scripts/packages require build
	$(call release,livecap)
	@scripts/test-stills

bench:           ## measure this machine: figures and ratios
	@scripts/packages require build
	$(call release,livecap)
	$(call release,livecap-bench)
	$(call release,FramePathProbe)
	@scripts/bench

figures:         ## measure this machine, and write the figures of README.md and docs/performance.md
	@scripts/packages require build figures
	$(call release,livecap)
	$(call release,livecap-bench)
	$(call release,FramePathProbe)
	@scripts/figures

asan:            ## run the tests under the address sanitizer
	@scripts/packages require build test
	@scripts/sanitized address -j $(JOBS)

tsan:            ## run the tests under the thread sanitizer
	@scripts/packages require build test
	@scripts/sanitized thread -j $(JOBS)

leaks:           ## run everyday commands under the leak sanitizer, in the build of `make asan`
	@scripts/packages require build
	@scripts/leaks -j $(JOBS)

crash:           ## kill the program, cut the power and fill the disk at CRASHES (100) moments of each kind
	@scripts/packages require build test
	swift build --build-tests -j $(JOBS)
	LIVECAP_CRASHES=$(CRASHES) swift test --skip-build --filter CrashTests

fuzz:            ## run each parser's fuzz target for FUZZ_SECONDS (60)
	@scripts/packages require build
	@scripts/fuzz

model:           ## check the ring's protocol with Spin, and that Spin finds mistakes made on purpose
	@scripts/packages require model
	@Model/run

docs:            ## build the documentation of the libraries, with tutorials: build/docs
	@scripts/packages require build docs
	@scripts/docs -j $(JOBS)

steady:          ## run the tests RUNS (20) times on a busy machine, and print what failed: SUITE=NAME for one
	@scripts/packages require build test
	swift build --build-tests -j $(JOBS)
	@scripts/steady $(RUNS) $(SUITE)

nightly:         ## run what takes hours: both sanitizers, long fuzzing, hundreds of crashes, a fresh machine
	@scripts/nightly

install:         ## install the built program, its manual and completions in PREFIX (/usr/local), below DESTDIR
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install

uninstall:       ## remove what 'make install' installed
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install --uninstall

deb:             ## build packages for this Debian or Ubuntu, build/livecap_VERSION-1~SYSTEM_ARCH.deb ...
	@scripts/packages require build deb effects
	@scripts/package deb -j $(JOBS)

test-deb:        ## install, use and purge those of Debian 12 in a bare root of it, without Swift
	@scripts/packages require deb fresh
	@scripts/test-deb

debs:            ## build them for Debian 12 and 13 and Ubuntu 24.04, each packed in a bare root of it: build/debs
	@scripts/packages require build deb fresh effects
	@scripts/package debs -j $(JOBS)

repository:      ## make an apt repository of those, build/repository; LIVECAP_KEY=KEY signs it
	@scripts/packages require repository
	@scripts/repository

test-debs:       ## serve them to a bare root of each system: install, upgrade, use, remove and purge
	@scripts/packages require fresh repository
	@scripts/test-debs

rpm:             ## build packages for systems with RPM, build/livecap-VERSION-1.ARCH.rpm and livecap-effects-...
	@scripts/packages require build rpm effects
	@scripts/package rpm -j $(JOBS)

test-rpm:        ## install, use and remove them with Debian's rpm
	@scripts/packages require rpm fresh
	@scripts/test-rpm

tarball:         ## build livecap for other systems, build/livecap-VERSION-linux-ARCH.tar.gz
	@scripts/packages require build tarball
	@scripts/package tarball -j $(JOBS)

test-tarball:    ## use that in bare systems of Ubuntu 24.04 and Debian 13
	@scripts/packages require fresh
	@scripts/test-tarball

test-ffmpeg:     ## make movies with FFmpeg 5 to 9, in bare systems of Debian and Ubuntu that have them
	@scripts/packages require build fresh
	@scripts/test-ffmpeg

format:          ## format the Swift sources
	@scripts/packages require
	swift format -i -r $(wildcard $(SWIFT_FILES))

check:           ## check formatting, shell syntax, licences, lengths of lines, files and functions, imports, shape
	@scripts/packages require
	@scripts/check $(wildcard $(SWIFT_FILES))
	@scripts/check-imports
	@scripts/walls

clean:           ## remove everything that was built
	rm -rf .build build
