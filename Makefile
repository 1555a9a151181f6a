# Three commands: `make demo`, `make test` and `make install`. Each installs what the machine lacks.
.PHONY: demo demo-postgresql test-postgresql install uninstall test test-release random test-clients test-thread test-example docs docs-check torture torture-build torture-build-plain torture-build-thread torture-build-postgresql test-release-build test-client-static builds torture-release torture-postgresql torture-designs fuzz fuzz-build fuzz-corpus fuzz-predicate fuzz-list fuzz-archive \
	fuzz-compiled fuzz-source fuzz-versions fuzz-cache fuzz-metadata bench bench-postgresql bench-smoke bench-peers format lint setup clean

STORE ?= demo/World.sqlite

# The manifest makes warnings errors then.
export MERGESTACK_WARNINGS = error

## Imports 28,298 airports with two background workers while main follows along.
demo: setup
	swift build -c release --product mergectl
	.build/release/mergectl demo --data Examples/World --store $(STORE)

## Two processes import 28,298 airports into a store that they share in PostgreSQL, and a third one
## shows live what arrives, with the lateness of each merge.
demo-postgresql: setup
	Scripts/demo-postgresql

## `mergectl` in release with its completions and its manual page, below PREFIX; DESTDIR goes before
## it for a package. `make uninstall` removes them. MERGECTL is one that is built already.
PREFIX ?= /usr/local
install:
	@Scripts/install-tool install "$(PREFIX)" "$(DESTDIR)" $(MERGECTL)

uninstall:
	@Scripts/install-tool uninstall "$(PREFIX)" "$(DESTDIR)"

## Contexts that are used off their queues, or show what can't be, stop the tests.
CHECKED = COREDATA_CONCURRENCY_DEBUG=1 COREDATA_CONSISTENCY_CHECK=1

## Builds everything and runs all tests; what failed is repeated at the end of the output.
test: setup
	swift build --build-tests
	$(CHECKED) Scripts/run-tests

## The store in PostgreSQL: a build with the trait, its own tests, and those of all stores over it. Of
## the other stores `make test` takes care.
POSTGRESQL = --traits PostgreSQL --scratch-path .build-postgresql
test-postgresql: setup
	swift build --build-tests $(POSTGRESQL)
	MERGESTACK_TESTED_STORES=server $(CHECKED) \
		swift test --skip-build $(POSTGRESQL) --filter 'PostgreSQLTests|CoreDataConformanceTests'

## Random sequences of each kind, in release and with contexts that check themselves; what fails is
## shrunk. `make random SEQUENCES=100 SEED=7 FAMILY=results-lists` runs some of one kind; JOBS are
## processes at once.
SEQUENCES ?= 100000
SEED ?= 1
FAILURES ?= 1
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu)
random: setup
	swift build -c release --product random-runs
	.build/release/random-runs --sequences $(SEQUENCES) --seed $(SEED) --failures $(FAILURES) \
		--jobs $(JOBS) $(if $(FAMILY),--family $(FAMILY))

## The same tests in release, as users deploy: optimized, and with assertions left out.
## Where a server and its client library are, the store in PostgreSQL is in it.
HAS_POSTGRESQL := $(shell . Scripts/own-server.sh; has_postgresql && echo yes)
RELEASE = -c release -Xswiftc -enable-testing $(if $(HAS_POSTGRESQL),--traits PostgreSQL)
IN_RELEASE = $(RELEASE) --scratch-path .build-release
test-release: test-release-build
	$(CHECKED) Scripts/run-tests --skip-build $(IN_RELEASE)

test-release-build: setup
	swift build --build-tests $(IN_RELEASE)

## All builds of which each takes one processor for most of its time: `make -j2 builds` makes two at
## once. What is left then is quick.
builds: test-release-build fuzz-build test-client-static torture-build-thread
	@$(MAKE) --no-print-directory torture-build-plain

## A client of two modules, and `mergectl`, in debug, in release and linked statically.
CLIENTS ?= debug release static
test-clients: setup
	Scripts/check-clients $(CLIENTS)

test-client-static: setup
	Scripts/check-clients static

## The tests of everything that touches threads, under ThreadSanitizer.
test-thread: setup
	TSAN_OPTIONS=halt_on_error=1 $(CHECKED) Scripts/run-tests --sanitize=thread --scratch-path .build-tsan

## The example packages: built as clients, tested, run, and built again without anything to compile.
test-example: setup
	Scripts/check-example

## The documentation of the layer and of what stands beside it, as a static site in .build/docs.
docs: setup
	@Scripts/docs

## The site, looked at in a browser at two widths, light and dark; screenshots in .build/docs-screens.
docs-check: docs
	@Scripts/setup chromium
	Scripts/check-docs .build/docs

## The parser of predicate format strings and the readers of files, under libFuzzer, for
## FUZZ_SECONDS each; what it finds is in Fuzz/.build. `make fuzz-archive` runs one of them, and
## `make fuzz-corpus` keeps the inputs that reach something new in Fuzz/Corpus, as few as do.
FUZZ_SECONDS ?= 120
FUZZ_TARGETS = predicate list archive compiled source versions cache metadata
fuzz: $(FUZZ_TARGETS:%=fuzz-%)

fuzz-build: setup
	cd Fuzz && swift build -c release -Xswiftc -enable-testing --sanitize=fuzzer

$(FUZZ_TARGETS:%=fuzz-%): fuzz-%: fuzz-build
	Fuzz/fuzz run $* $(FUZZ_SECONDS)

fuzz-corpus: fuzz-build
	for target in $(FUZZ_TARGETS); do Fuzz/fuzz keep $$target || exit 1; done

## The package breaks itself: faults of files and of memory, kills, power cuts, updates that meet and
## damaged stores, each with a defect that has to be found. `make torture` runs what a change runs,
## `make torture-release` what a release does; `make torture-kill TORTURE='--count 9 --seed 3'` runs
## one row. The report is Torture/.build/torture/report.html.
FUZZ_ROWS = predicates models archives
TORTURE_ROWS = faults memory kill power threads nestings history updates leaks damage migrations
TORTURE_ROWS += environment values queues $(FUZZ_ROWS)
# These build the package anew, under sanitizers, with mistakes planted, and with counters.
SCRIPT_ROWS = sanitizers mutants coverage
TORTURE ?=
# Most of a row's time goes into waiting for a disk, or into one processor.
ROWS_AT_ONCE ?= 2
torture torture-release: torture-build fuzz-build
	cd Torture && rm -rf .build/torture && status=0; \
	printf '%s\n' $(TORTURE_ROWS) | xargs -P $(ROWS_AT_ONCE) -I ROW \
		../$(TORTURER) ROW $(TORTURE) $(if $(findstring release,$@),--all) || status=1; \
	$(if $(findstring release,$@),for row in $(SCRIPT_ROWS); do Scripts/$$row || status=1; done;) \
	../$(TORTURER) report && exit $$status

torture-build: torture-build-plain torture-build-thread

## The package is compiled for the tests in release and for the torture once.
TORTURER = .build-release/release/torture
torture-build-plain: setup
	Scripts/build-beside Torture $(CURDIR)/.build-release $(RELEASE)

torture-build-thread: setup
	Scripts/build-beside Torture $(CURDIR)/.build-tsan --sanitize=thread

## The rows of stores over PostgreSQL, each on a server of its own; TORTURE=--all runs what a release
## does. The report has them, too, when it is made after them.
POSTGRESQL_ROWS = sharing server-kills cuts failover replica-kills
torture-postgresql: torture-build-postgresql
	cd Torture && status=0; \
	for row in $(POSTGRESQL_ROWS); do ../$(TORTURER) $$row $(TORTURE) || status=1; done; \
	../$(TORTURER) report && exit $$status

torture-build-postgresql: torture-build-plain
	@. Scripts/own-server.sh; name=torture; needs_postgresql

## Designs of the store that were rejected, planted into a copy: its tests have to fail.
torture-designs: setup
	@. Scripts/own-server.sh; name=torture; needs_postgresql
	Torture/Scripts/mutants --postgresql $(TORTURE)

$(POSTGRESQL_ROWS:%=torture-%): torture-%: torture-build-postgresql
	cd Torture && ../$(TORTURER) $* $(TORTURE)

$(FUZZ_ROWS:%=torture-%): fuzz-build
$(TORTURE_ROWS:%=torture-%): torture-%: torture-build
	cd Torture && ../$(TORTURER) $* $(TORTURE)

$(SCRIPT_ROWS:%=torture-%): torture-%: setup
	Torture/Scripts/$* $(TORTURE)

## Layouts of contexts, the object layer, how its costs grow, and the importer; beside bare SQLite in
## the same run.
ROWS ?= 100000
bench: setup
	swift build -c release --product mergectl
	.build/release/mergectl bench --rows $(ROWS)
	.build/release/mergectl bench --layer
	.build/release/mergectl bench --growth
	swift build -c release --product import-bench
	.build/release/import-bench Examples/World

## Stores over PostgreSQL beside bare libpq, on a server of its own.
bench-postgresql: setup
	Scripts/bench-postgresql $(ROWS)

## Each of these once over few rows, to see that they work, off no queue, and that all sides have the
## same rows; times are not judged. The build is that of `make test-release`.
SMOKE = .build-release/release
bench-smoke: setup
	swift build $(IN_RELEASE) --product mergectl
	swift build $(IN_RELEASE) --product import-bench
	$(CHECKED) $(SMOKE)/mergectl bench --rows 10000 --rounds 1 --output bench/smoke
	$(CHECKED) $(SMOKE)/mergectl bench --layer --rows 10000 --rounds 1 --output bench/smoke
	$(CHECKED) $(SMOKE)/mergectl bench --growth --quick --output bench/smoke
	$(CHECKED) $(SMOKE)/import-bench Examples/World 1

## The object layer beside Python's sqlite3 and SQLAlchemy over the same rows; see Benchmarks/Peers.
## `make bench-peers PEERS='--rows 10000 --rounds 1'` is a first look.
PEERS ?=
IMPORTS ?=
bench-peers: setup
	swift build -c release --product mergectl
	Benchmarks/Peers/run .build/release/mergectl $(PEERS)
	python3 -B Benchmarks/Peers/imports.py .build/release/mergectl bench $(IMPORTS)

SWIFT_SOURCES = Sources Plugins Tests Snippets Benchmarks/MainQueue Fuzz/Sources Torture/Sources Torture/Package.swift \
	Package.swift $(wildcard Examples/*/Sources) \
	$(wildcard Examples/*/Tests) $(wildcard Examples/*/Package.swift)
format:
	swift format format --in-place --recursive $(SWIFT_SOURCES)

lint:
	swift format lint --strict --recursive $(SWIFT_SOURCES)
	@! grep -rnE '\bprecondition(Failure)?\(' Sources || \
		{ echo "lint: the above say nothing in release; use fatalError, or require in CoreData" >&2; exit 1; }
	Torture/Scripts/mutants --check
	Torture/Scripts/mutants --postgresql --check

setup:
	@Scripts/setup

clean:
	rm -rf .build .build-* Fuzz/.build Torture/.build \
		Examples/*/.build bench demo
