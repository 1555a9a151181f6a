"""Measures `mergectl import` and an import by Python's `csv` and `sqlite3` in turns.

Usage: imports.py MERGECTL OUTPUT [--rows N] [--rounds N]
"""

import argparse
import csv
import datetime
import json
import os
import pathlib
import platform
import random
import sqlite3
import subprocess
import sys
import tempfile
import time

# Attribute types of the columns, and what reads a field of each.
REFERENCE = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)


def seconds(text):
    """A date as stores keep it."""
    return (datetime.datetime.fromisoformat(text) - REFERENCE).total_seconds()


KINDS = (
    [("Integer 64", int)] * 7
    + [("Double", float)] * 4
    + [("String", str)] * 7
    + [("Boolean", lambda text: text == "true"), ("Date", seconds)]
)
NAMES = [f"c{number:02}" for number in range(len(KINDS))]
BATCH = 1000


class Failure(Exception):
    """What ended the comparison, in a sentence."""


def write_records(file, count):
    """Records of twenty fields, some of which need quotes."""
    source = random.Random(17)
    words = ["lorem", "ipsum dolor", "sit amet", "consetetur, sadipscing", "elitr", 'a "quote"', "Düsseldorf"]
    makers = {
        "Integer 64": lambda: source.randrange(1_000_000),
        "Double": lambda: f"{source.random() * 180:.6f}",
        "String": lambda: f"{source.choice(words)} {source.randrange(1000)}",
        "Boolean": lambda: source.choice(["true", "false"]),
        "Date": lambda: f"2024-{source.randrange(1, 13):02}-{source.randrange(1, 29):02}T10:30:00+00:00",
    }
    with open(file, "w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(NAMES)
        for number in range(count):
            # The first one is a key.
            writer.writerow([number] + [makers[kind]() for kind, _ in KINDS[1:]])


def write_model(bundle, is_keyed):
    """A model source of the records' entity; with a key, each is looked for before it is made."""
    attributes = "".join(
        f'<attribute name="{name}" optional="YES" attributeType="{kind}"/>'
        for name, (kind, _) in zip(NAMES, KINDS)
    )
    key = (
        '<fetchIndex name="byKey"><fetchIndexElement property="c00" type="Binary" order="ascending"/>'
        '</fetchIndex><userInfo><entry key="relatedByAttribute" value="c00"/></userInfo>'
    )
    bundle.mkdir()
    (bundle / "contents").write_text(
        '<?xml version="1.0" encoding="UTF-8"?><model type="com.apple.IDECoreDataModeler.DataModel" '
        'documentVersion="1.0"><entity name="Record" representedClassName="NSManagedObject">'
        f'{attributes}{key if is_keyed else ""}</entity></model>'
    )


def import_by_python(file, store):
    """What a script does: the same table, a transaction for each thousand records."""
    database = sqlite3.connect(store, isolation_level=None)
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = FULL")
    columns = ", ".join(f"Z{name.upper()}" for name in NAMES)
    database.execute(
        f"CREATE TABLE ZRECORD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, {columns})"
    )
    insert = f"INSERT INTO ZRECORD VALUES (?, 1, 1{', ?' * len(NAMES)})"
    readers = [reader for _, reader in KINDS]

    def save(rows):
        database.execute("BEGIN")
        database.executemany(insert, rows)
        database.execute("COMMIT")

    with open(file, newline="", encoding="utf-8") as stream:
        records = csv.reader(stream)
        next(records)
        rows = []
        for key, record in enumerate(records, start=1):
            rows.append([key] + [read(text) if text else None for read, text in zip(readers, record)])
            if len(rows) == BATCH:
                save(rows)
                rows = []
        save(rows)
    database.close()


def content(store):
    """What has to be the same in all stores."""
    sums = ", ".join(
        f"total(length(Z{name.upper()}))" if kind == "String" else f"total(Z{name.upper()})"
        for name, (kind, _) in zip(NAMES, KINDS)
    )
    with sqlite3.connect(store) as database:
        return [round(value, 3) for value in database.execute(f"SELECT count(*), {sums} FROM ZRECORD").fetchone()]


def measure(command):
    """How long a program takes, the processor time it takes, and its memory in bytes."""
    begun = time.perf_counter()
    child = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begun
    # The child has been waited for, which Popen has to know.
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode != 0:
        raise Failure(f"{command[0]} ended with code {child.returncode}.")
    return {"wall": wall, "processor": usage.ru_utime + usage.ru_stime, "memory": usage.ru_maxrss * 1024}


def sides(tool, folder):
    """The command of each side, which is told the file and the store."""

    def ours(model, workers):
        options = ["--model", folder / model, "--entity", "Record", "--workers", workers, "--batch", BATCH]
        return lambda file, store: [tool, "import", *options, "--store", store, file]

    return {
        "Python's csv and sqlite3": lambda file, store: [sys.executable, "-B", __file__, "--run", file, store],
        "mergectl import": ours("Plain.xcdatamodel", 1),
        "mergectl import, 2 workers": ours("Plain.xcdatamodel", 2),
        "mergectl import, finding or creating by an indexed key": ours("Keyed.xcdatamodel", 1),
        "the same, 2 workers": ours("Keyed.xcdatamodel", 2),
    }


def table(best, options):
    """The figures as a page in Markdown."""
    python = best["Python's csv and sqlite3"]["processor"]
    lines = [
        f"{options.rows:,} records of {len(NAMES)} fields; the fastest of {options.rounds} rounds; "
        f"{os.cpu_count()} cores; Python {platform.python_version()}. All stores have the same content.",
        "",
        "| import | time, s | processor time, s | to Python's | memory, MB |",
        "| --- | --- | --- | --- | --- |",
    ]
    for title, found in best.items():
        lines.append(
            f"| {title} | {found['wall']:.3g} | {found['processor']:.3g} | "
            f"{found['processor'] / python:.3g} | {found['memory'] / 1e6:.3g} |"
        )
    return "\n".join(lines) + "\n"


def main():
    if sys.argv[1:2] == ["--run"]:
        import_by_python(*sys.argv[2:])
        return
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("mergectl", type=pathlib.Path)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--rows", type=int, default=235_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.rows < 1 or options.rounds < 1:
        raise Failure("The comparison needs a row and a round, or more.")
    best, expected = {}, None
    with tempfile.TemporaryDirectory(prefix="mergestack-imports-") as name:
        folder = pathlib.Path(name)
        file = folder / "records.csv"
        write_records(file, options.rows)
        write_model(folder / "Plain.xcdatamodel", is_keyed=False)
        write_model(folder / "Keyed.xcdatamodel", is_keyed=True)
        for turn in range(options.rounds):
            print(f"bench-peers: imports, round {turn + 1} of {options.rounds}", flush=True)
            for title, command in sides(options.mergectl.resolve(), folder).items():
                store = folder / "Store.sqlite"
                found = measure(command(file, store))
                rows = content(store)
                expected = expected or rows
                if rows != expected:
                    raise Failure(f"{title} has other rows than Python.")
                for part in folder.glob("Store.sqlite*"):
                    part.unlink()
                before = best.get(title, found)
                best[title] = {key: min(found[key], before[key]) for key in found}
    text = table(best, options)
    options.output.mkdir(parents=True, exist_ok=True)
    (options.output / "imports.md").write_text(text)
    (options.output / "imports.json").write_text(json.dumps(best, indent=2) + "\n")
    print("\n" + text + f"\nWritten: {options.output}/imports.md and .json")


try:
    main()
except (Failure, OSError, sqlite3.Error) as error:
    sys.exit(f"bench-peers: {error}")
