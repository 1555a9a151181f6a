#!/usr/bin/env python3
"""Checks an SQLite store of Core Data by the rules of its documented format alone.

    check_store.py [--model FILE.xcdatamodel] STORE

The model is the one that the store carries, or that of --model. Each problem is a line; the exit
status is 1 if there is one. The store is copied before it is opened, so nothing is changed.
"""
import argparse
import os
import shutil
import sqlite3
import sys
import tempfile

import store_checks
import store_model


def copy_of(path, folder):
    target = os.path.join(folder, "store.sqlite")
    for suffix in ("", "-wal"):
        if os.path.exists(path + suffix):
            shutil.copy(path + suffix, target + suffix)
    return target


def model_of(database, path):
    if path:
        return store_model.from_source(path)
    has_cache = database.execute(
        "SELECT 1 FROM sqlite_master WHERE name = 'Z_MODELCACHE'").fetchone()
    row = has_cache and database.execute("SELECT Z_CONTENT FROM Z_MODELCACHE").fetchone()
    if row is None or row[0] is None:
        sys.exit("The store carries no model: give --model.")
    return store_model.from_cache(row[0])


def problems(path, model_path=None):
    """What is wrong with a store, a sentence each."""
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(copy_of(path, folder))
        try:
            sound = store_checks.integrity(database)
            if sound:
                return sound
            model = model_of(database, model_path)
            return store_checks.all_problems(database, model, path)
        finally:
            database.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model")
    parser.add_argument("store")
    arguments = parser.parse_args()
    found = problems(arguments.store, arguments.model)
    for problem in found:
        print(problem)
    print("%d problem(s) in %s" % (len(found), os.path.basename(arguments.store)))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
