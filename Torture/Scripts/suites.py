"""Running the tests of a build until one fails: of a mistake, those that come by its place."""

import concurrent.futures
import dataclasses
import json
import os
import re
import signal
import subprocess
import threading
import time

import planting

FAILURE = re.compile(
    r"recorded an issue|\.swift:\d+: error: |Fatal error|crashed|consistency check|unexpected signal|✘"
)
ENVIRONMENT = {
    "COREDATA_CONCURRENCY_DEBUG": "1",
    "COREDATA_CONSISTENCY_CHECK": "1",
    "SWIFT_BACKTRACE": "enable=no",
    # One seed, so that a run says the same the next time.
    "RANDOM_SEED": "1",
    # What a mistake keeps from coming is not waited for as long as on a slow machine that has none.
    "TEST_PATIENCE": "240",
}

# Which suites look at a room most closely: they run first.
CLOSEST = {
    "saving": "Sav|Delet|Unique|PrimaryKey|Order|ExternalData|Batch|Child|Nested|Undo|Willsave",
    "faulting": "Fault|Relationship|Collection|Fetch|Cache|Refresh|Lookup|Batch|Conflict|Order",
    "merging": "Merg|History|Queue|Child|Notification|Conflict|Delet|Gone",
    "conflicts": "Conflict|Policy|Constraint|Unique|OneToOne|Merg|Delet",
    "querying": "Predicate|Sort|Quer|Differential|Result",
    "yielding": "Yield",
    "migrating": "Migrat|Staged|Mapping|Replac|Seed|Link|Derived",
}
# Tests of the sources, which the mistakes have changed, and not of what they do.
LEFT_OUT = "HouseTests."
TESTING = ["--testing-library", "swift-testing"]


@dataclasses.dataclass
class Suite:
    """A suite of Swift Testing, or a class of XCTest."""
    name: str
    is_testing: bool
    # Of the run without a mistake.
    seconds: float = 0
    reached: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Stage:
    name: str
    arguments: list


class Suites:
    def __init__(self, bundle, prefix, names=""):
        """- names: How the names of the suites begin."""
        self.bundle = bundle
        self.prefix = prefix
        self.suites = [
            Suite(name, is_testing)
            for is_testing, options in ((True, TESTING), (False, []))
            for name in self.listed(options + ["--list-tests"]) if name.startswith(names)
        ]

    def listed(self, arguments):
        text = subprocess.run(
            [self.bundle] + arguments, capture_output=True, text=True, check=True,
            env={**os.environ, **ENVIRONMENT},
        ).stdout
        names = set(re.findall(r"^([\w.]+\.[\w]+)/", text, re.MULTILINE))
        return sorted(name for name in names if not name.startswith(LEFT_OUT))

    # Which suites come by which mistakes

    def learn(self, file, limit, folder, jobs):
        """Runs each suite without a mistake, and notes by which mistakes' places it comes, and how
        long it takes; what is known of the same build already is read from the file.

        Returns what failed, in a line, or None.
        """
        build = f"{os.path.getmtime(self.bundle)} {os.path.getsize(self.bundle)}"
        known = json.loads(file.read_text()) if file.exists() else {}
        if known.get("build") != build:
            known = {"build": build}
        new = [suite for suite in self.suites if suite.name not in known]
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            failures = list(pool.map(
                lambda suite: self.follow(suite, file.parent, limit, folder), new))
        for suite, failure in zip(new, failures):
            if not failure:
                known[suite.name] = [suite.seconds, suite.reached]
        # Also if some have failed: the others are not run again.
        file.write_text(json.dumps(known))
        for suite in self.suites:
            if suite.name in known:
                suite.seconds, suite.reached = known[suite.name]
        return next((failure for failure in failures if failure), None)

    def follow(self, suite, place, limit, folder):
        """Runs one suite without a mistake."""
        log = place / f"{suite.name}.planted"
        log.write_bytes(bytes(planting.LOG_LENGTH))
        # For programs that tests run without an administrator's rights.
        log.chmod(0o666)
        start = time.monotonic()
        stage = Stage(suite.name, self.arguments([suite]))
        failure = self.run_stage(0, stage, limit, folder, {"PLANTED_LOG": str(log)})
        suite.seconds = round(time.monotonic() - start, 2)
        suite.reached = [number for number, byte in enumerate(log.read_bytes()) if byte]
        log.unlink()
        return failure and f"{suite.name}: {failure}"

    # Running

    @staticmethod
    def arguments(suites):
        """The options that have some suites of one kind run."""
        if not suites[0].is_testing:
            return [",".join(suite.name for suite in suites)]
        return TESTING + ["--filter", "^(" + "|".join(
            re.escape(suite.name) for suite in suites) + ")/"]

    def stages(self, number, room):
        """The suites that come by a mistake: those of its room first, then the quick ones."""
        able = sorted(
            (suite for suite in self.suites if number in suite.reached),
            key=lambda suite: suite.seconds,
        )
        closest = [s for s in able if re.search(CLOSEST.get(room, "Save"), s.name)]
        others = [suite for suite in able if suite not in closest]
        middle = len(others) * 3 // 4
        groups = [
            ("closest", closest), ("quick ones", others[:middle]), ("slow ones", others[middle:]),
        ]
        return [
            Stage(f"{name}{'' if is_testing else ' of XCTest'}", self.arguments(suites))
            for name, group in groups for is_testing in (True, False)
            if (suites := [suite for suite in group if suite.is_testing == is_testing])
        ]

    def run(self, number, room, limit, folder):
        """Runs the tests with a mistake, and stops at the first one that fails.

        Returns what failed, in a line, or None, and how many seconds it took.
        """
        start = time.monotonic()
        for stage in self.stages(number, room):
            failure = self.run_stage(number, stage, limit, folder)
            if failure:
                return f"{stage.name}: {failure}", time.monotonic() - start
        return None, time.monotonic() - start

    def run_stage(self, number, stage, limit, folder, more=None):
        environment = {**os.environ, **ENVIRONMENT, "PLANTED_DEFECT": str(number), **(more or {})}
        process = subprocess.Popen(
            self.prefix + [self.bundle] + stage.arguments,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
            start_new_session=True, env=environment, cwd=folder,
        )
        is_late = threading.Event()

        def end():
            is_late.set()
            self.kill(process)

        clock = threading.Timer(limit, end)
        failure = None
        last = ""
        for line in process.stdout:
            # Waiting for a turn on a machine that is shared is not running.
            if not clock.is_alive() and not is_late.is_set():
                clock.start()
            last = line.strip() or last
            if FAILURE.search(line):
                failure = re.sub(r"\x1b\[\d*m", "", line.strip())
                self.kill(process)
                break
        clock.cancel()
        process.stdout.close()
        code = process.wait()
        if is_late.is_set():
            return f"it did not end within {limit} s; the last line: {last}"
        if not failure and code != 0:
            failure = f"it ended with {code}; the last line: {last}"
        return failure

    @staticmethod
    def kill(process):
        # With its children, among them those of exit tests and of what the tests run.
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
