# SPDX-License-Identifier: MIT
# The whole developer interface: `make` lists it. The work itself is done by the scripts beside.

FUZZ_SECONDS ?= 60
CRASHES ?= 100
LAB_TIMEOUT ?= 1500
PREFIX ?= /usr/local
JOBS ?= $(shell nproc)
SWIFT_FILES = Sources Tests Benchmarks Fuzz Package.swift
export FUZZ_SECONDS LAB_TIMEOUT
.DEFAULT_GOAL := help
.PHONY: help setup build demo demo-library test test-devices test-fresh test-arm64 bench asan tsan leaks crash fuzz \
	model nightly install uninstall format check clean

help:            ## list what can be made
	@sed -nE 's/^([a-z0-9-]+):[^#]*## (.*)/\1|\2/p' Makefile | while IFS='|' read -r name does; do \
		printf '  make %-14s %s\n' "$$name" "$$does"; done

setup:           ## install all Debian packages of scripts/packages.txt; the others install what they need
	@scripts/packages install

build:           ## the program and the library, in release
	@scripts/require build
	swift build -c release -j $(JOBS)

demo:            ## install what is missing, build, and show what livecap does
	@scripts/require build
	swift build -c release -j $(JOBS)
	@scripts/demo

demo-library:    ## a library that loses nothing: ten taps, proxies, finals, a kill in their midst
	@scripts/require build
	swift build -c release -j $(JOBS)
	@scripts/demo-library

test: check      ## everything that needs no virtual machine
	@scripts/require build test
	swift build --build-tests -j $(JOBS)
	@scripts/tell-failures swift test --skip-build
	swift build -c release -j $(JOBS)
	@scripts/test-frame-path
	@scripts/test-kernels
	@scripts/test-fusion

test-devices:    ## the program against the kernel's virtual cameras, in a virtual machine
	@scripts/require build devices
	swift build --build-tests -j $(JOBS)
	@scripts/tell-failures scripts/test-devices

test-fresh:      ## README's first commands in a minimal Debian: all of their needs are installed by themselves
	@scripts/test-fresh

test-arm64:      ## the kernels in emulation of arm64, against the references' answers
	@scripts/require build arm64
	swift build -c release -j $(JOBS) --product kernel-vectors
	@scripts/test-arm64

bench:           ## figures of this machine, with ratios
	@scripts/require build
	swift build -c release -j $(JOBS)
	@scripts/bench

asan:            ## the tests under the address sanitizer
	@scripts/require build test
	@scripts/sanitized address -j $(JOBS)

tsan:            ## the tests under the thread sanitizer
	@scripts/require build test
	@scripts/sanitized thread -j $(JOBS)

leaks:           ## everyday commands under the leak sanitizer, in the build of `make asan`
	@scripts/require build
	@scripts/leaks -j $(JOBS)

crash:           ## kill, cut the power and fill the disk at CRASHES (100) moments of each of a library's doings
	@scripts/require build test
	swift build --build-tests -j $(JOBS)
	LIVECAP_CRASHES=$(CRASHES) swift test --skip-build --filter CrashTests

fuzz:            ## each parser's fuzz target, FUZZ_SECONDS (60) each
	@scripts/require build
	@scripts/fuzz

model:           ## prove the ring's protocol, and refute its broken variants
	@scripts/require model
	@Model/run

nightly:         ## what takes hours: tsan, long fuzzing, hundreds of crashes, a fresh machine
	@scripts/nightly

install:         ## the built program, its manual and completions to PREFIX (/usr/local), below DESTDIR
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install

uninstall:       ## remove what 'make install' put there
	@PREFIX='$(PREFIX)' DESTDIR='$(DESTDIR)' scripts/install --uninstall

format:          ## lay out the Swift sources
	@scripts/require
	swift format -i -r $(wildcard $(SWIFT_FILES))

check:           ## layout, shell syntax, licence lines, file lengths
	@scripts/require
	@scripts/check $(wildcard $(SWIFT_FILES))

clean:           ## remove all that was made
	rm -rf .build build
