# Two commands: `make demo` and `make test`. Each installs what the machine lacks.
.PHONY: demo test test-thread fuzz bench format lint setup clean

STORE ?= demo/World.sqlite

## Imports 28,298 airports with two background workers while main follows along.
demo: setup
	swift build -c release --product mergectl
	.build/release/mergectl demo --data Examples/World --store $(STORE)

## Builds everything and runs all tests.
test: setup
	swift build --build-tests
	COREDATA_CONCURRENCY_DEBUG=1 swift test

## The tests of everything that touches threads, under ThreadSanitizer.
test-thread: setup
	TSAN_OPTIONS=halt_on_error=1 COREDATA_CONCURRENCY_DEBUG=1 swift test --sanitize=thread --scratch-path .build-tsan

## The parser of predicate format strings under libFuzzer; what it finds is in Fuzz/.build.
FUZZ_SECONDS ?= 600
fuzz: setup
	cd Fuzz && swift build --sanitize=fuzzer
	mkdir -p Fuzz/.build/corpus && split -l 1 Fuzz/Corpus/seeds.txt Fuzz/.build/corpus/seed-
	cd Fuzz && .build/debug/predicate-fuzz -dict=predicates.dict -max_len=400 \
		-max_total_time=$(FUZZ_SECONDS) -artifact_prefix=.build/ .build/corpus

## Importing, beside a bare SQLite program that inserts the same rows.
bench: setup
	cd Benchmarks && swift build -c release && .build/release/import-bench ../Examples/World

format:
	swift format format --in-place --recursive Sources Plugins Tests Benchmarks/Sources Fuzz/Sources Package.swift

lint:
	swift format lint --strict --recursive Sources Plugins Tests Benchmarks/Sources Fuzz/Sources Package.swift

setup:
	@Scripts/setup

clean:
	rm -rf .build .build-tsan Benchmarks/.build demo
