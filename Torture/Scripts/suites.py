"""Running the tests of a build until one fails."""

import dataclasses
import os
import re
import signal
import subprocess
import threading
import time

FAILURE = re.compile(
    r"recorded an issue|\.swift:\d+: error: |Fatal error|crashed|consistency check|unexpected signal|✘"
)
ENVIRONMENT = {
    "COREDATA_CONCURRENCY_DEBUG": "1",
    "COREDATA_CONSISTENCY_CHECK": "1",
    "SWIFT_BACKTRACE": "enable=no",
    # One seed, so that a run says the same the next time.
    "RANDOM_SEED": "1",
}

# Which suites look at a room most closely: they run first.
CLOSEST = {
    "saving": "Sav|Delet|Unique|PrimaryKey|Order|ExternalData|Batch|Child|Nested|Undo|Willsave",
    "faulting": "Fault|Relationship|Collection|Fetch|Cache|Refresh|Lookup|Batch|Conflict|Order",
    "merging": "Merg|History|Queue|Child|Notification|Conflict|Delet|Gone",
    "conflicts": "Conflict|Policy|Constraint|Unique|OneToOne|Merg|Delet",
    "migrating": "Migrat|Staged|Mapping|Replac|Seed|Link|Derived",
}
# Tests of the sources, which the mistakes have changed, and not of what they do.
LEFT_OUT = "HouseTests"
# Classes of XCTest that take longest.
SLOW = re.compile(r"Random|Hazard|Stress|Soak")


@dataclasses.dataclass
class Stage:
    name: str
    arguments: list


class Suites:
    def __init__(self, bundle, prefix):
        self.bundle = bundle
        self.prefix = prefix
        listed = subprocess.run(
            [bundle, "--list-tests"], capture_output=True, text=True, check=True,
            env={**os.environ, **ENVIRONMENT},
        ).stdout
        classes = sorted(set(re.findall(r"^([\w.]+\.[\w]+)/", listed, re.MULTILINE)))
        self.classes = [name for name in classes if not name.startswith(LEFT_OUT)]

    def stages(self, room):
        """All tests, those of a room first."""
        testing = ["--testing-library", "swift-testing"]
        closest = CLOSEST.get(room, "Save")
        near = [name for name in self.classes if re.search(closest, name)]
        slow = [name for name in self.classes if name not in near and SLOW.search(name)]
        rest = [name for name in self.classes if name not in near + slow]
        stages = [
            Stage("closest", testing + ["--filter", closest, "--skip", LEFT_OUT]),
            Stage("closest of XCTest", [",".join(near)] if near else []),
            Stage("others", testing + ["--skip", closest, "--skip", LEFT_OUT]),
            Stage("others of XCTest", [",".join(rest)] if rest else []),
            Stage("slow ones", [",".join(slow)] if slow else []),
        ]
        return [stage for stage in stages if stage.arguments]

    def run(self, number, room, limit, folder):
        """Runs the tests with a mistake, and stops at the first one that fails.

        Returns what failed, in a line, or None, and how many seconds it took.
        """
        start = time.monotonic()
        for stage in self.stages(room):
            failure = self.run_stage(number, stage, limit, folder)
            if failure:
                return f"{stage.name}: {failure}", time.monotonic() - start
        return None, time.monotonic() - start

    def run_stage(self, number, stage, limit, folder):
        environment = {**os.environ, **ENVIRONMENT, "PLANTED_DEFECT": str(number)}
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
