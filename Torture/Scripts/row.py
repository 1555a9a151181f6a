"""Rows of the report that scripts make: the same file as those of the program `torture`."""

import datetime
import json
import os
import pathlib


def finding(point, text, replay):
    return {"point": point, "text": text, "replay": replay}


def write(folder, verdict):
    """Keeps a verdict for the report, says whether it is green, and returns the exit code."""
    verdict = {
        "seed": 1, "machine": machine(),
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        **verdict,
    }
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{verdict['row']}.json"
    file.write_text(json.dumps(verdict, indent=2, sort_keys=True))
    is_caught = verdict["control"]["isCaught"]
    is_green = not verdict["violations"] and is_caught
    print(f"  control: {'caught' if is_caught else 'NOT CAUGHT'}")
    print("  green" if is_green else "  RED")
    return 0 if is_green else 1


def machine():
    names = [
        line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().split("\n")
        if line.startswith("model name")
    ]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") >> 30
    return f"{os.cpu_count()} × {names[0] if names else 'unknown processor'}, {memory} GiB"
