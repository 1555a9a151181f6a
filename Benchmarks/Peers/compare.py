"""Measures `mergectl bench --layer` and its peers in turns, and prints one table of ratios.

Usage: compare.py MERGECTL OUTPUT [--rows N] [--rounds N] [--seed N]
"""

import argparse
import gc
import json
import pathlib
import platform
import sqlite3
import subprocess
import sys
import tempfile
import time

LETTERS = ["a", "b", "c", "d", "d2", "e", "f", "g", "h", "i", "o"]


class Failure(Exception):
    """What ended the comparison, in a sentence."""


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mergectl", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=17)
    return parser.parse_args()


def measure_layer(options, folder):
    """A round of our tool: its lines by letter, and where it ran."""
    # Two rounds in each turn: the first of a process has cold caches, which the peers have only once.
    command = [options.mergectl.resolve(), "bench", "--layer", "--rounds", "2"]
    command += ["--rows", str(options.rows), "--seed", str(options.seed), "--output", folder]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        words = done.stderr.strip() or "it said nothing."
        raise Failure(f"mergectl bench --layer ended with code {done.returncode}: {words}")
    report = json.loads((folder / "layer.json").read_text())
    if report["environment"]["isDebugBuild"]:
        raise Failure("mergectl is a debug build, whose figures say nothing; build with -c release.")
    return {line["letter"]: line for line in report["lines"]}, report["environment"]


def fastest_round(times):
    """The seconds of the fastest round: whole rounds are what is measured of the peers."""
    return min(sum(parts) for parts in times["rounds"])


def measure_peer(peer, letter, expected):
    """How many seconds a peer takes for a workload, whose rows must add up to our tool's sum."""
    from rows import value_sum

    prepared = peer.prepare(letter)
    # What earlier workloads have left would be collected within the time.
    gc.collect()
    begun = time.perf_counter()
    rows = getattr(peer, letter)(prepared)
    seconds = time.perf_counter() - begun
    peer.finish(letter, prepared)
    if value_sum(rows) != expected:
        raise Failure(f"Workload {letter}: {peer.title} has other values than mergectl.")
    return seconds


def measure(options, folder):
    """The fastest time of each side at each workload, the titles of the workloads, and where it ran."""
    # Only here: these need the packages that `run` installs.
    import orm
    import plain
    import rows
    import store

    sample = rows.sample(options.rows, options.seed)
    stores = store.Stores(folder, rows.items(options.rows, options.seed))
    peers = []
    for module, kind in ((plain, plain.Plain), (orm, orm.ORM)):
        peers.append(kind(stores, sample))
        peers[-1].title = module.TITLE
    sides = ["MergeStack, typed", "MergeStack, key-value"] + [peer.title for peer in peers]
    best, titles, environment = {}, {}, None
    for turn in range(options.rounds):
        print(f"bench-peers: round {turn + 1} of {options.rounds}", flush=True)
        lines, environment = measure_layer(options, folder)
        for letter in LETTERS:
            line = lines[letter]
            titles[letter] = line["title"]
            found = {
                "bare": fastest_round(line["bare"]),
                sides[0]: fastest_round(line["typed"]),
                sides[1]: fastest_round(line["keyed"]),
            }
            for peer in peers:
                found[peer.title] = measure_peer(peer, letter, line["sum"])
            before = best.get(letter, found)
            best[letter] = {side: min(found[side], before[side]) for side in found}
    return best, titles, sides, environment


def table(options, best, titles, sides, environment):
    """The figures as a page in Markdown."""
    library = sqlite3.sqlite_version
    lines = [
        f"{environment['date'][:10]}; {options.rows:,} rows; the fastest of {options.rounds} rounds; "
        f"{environment['coreCount']} cores of {environment['processor']}; SQLite "
        f"{environment['sqliteVersion']}"
        + (f" (Python's is {library})" if library != environment["sqliteVersion"] else "")
        + f"; Python {platform.python_version()}. Ratios to bare SQLite, which is a program in Swift "
        "with prepared statements; the sums over all values agree.",
        "",
        "| workload | bare SQLite, ms | " + " | ".join(sides) + " |",
        "| --- |" + " --- |" * (len(sides) + 1),
    ]
    for letter in LETTERS:
        bare = best[letter]["bare"]
        ratios = [f"{best[letter][side] / bare:.3g}" for side in sides]
        lines.append(f"| {letter} {titles[letter]} | {bare * 1000:.3g} | " + " | ".join(ratios) + " |")
    return "\n".join(lines) + "\n"


def main():
    options = arguments()
    if options.rows < 100 or options.rounds < 1:
        raise Failure("The comparison needs 100 rows and one round, or more.")
    with tempfile.TemporaryDirectory(prefix="mergestack-peers-") as folder:
        figures = measure(options, pathlib.Path(folder))
    best, titles, sides, environment = figures
    text = table(options, best, titles, sides, environment)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "peers.md").write_text(text)
    (options.output / "peers.json").write_text(
        json.dumps({"environment": environment, "seconds": best}, indent=2, sort_keys=True) + "\n"
    )
    print("\n" + text + f"\nWritten: {options.output}/peers.md and .json")


try:
    main()
except (Failure, OSError, ImportError, RuntimeError) as error:
    sys.exit(f"bench-peers: {error}")
