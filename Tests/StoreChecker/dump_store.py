#!/usr/bin/env python3
"""Prints every value of every row of a store, by the rules of its documented format alone.

    dump_store.py [--model FILE.xcdatamodel] STORE

One line for each value that is not null: entity/key name=value, sorted. Text, URIs and bytes are
printed as the first 16 digits of their SHA-256, real numbers as the bits of a double, to-one
relationships as entity/key, to-many ones as keys in brackets.
"""
import argparse
import decimal
import hashlib
import sqlite3
import struct
import sys
import tempfile
import uuid

import check_store
import store_checks
import store_model
from store_checks import quoted


def text_of(prop, value):
    code = prop.type
    if code in (100, 200, 300, 800):
        return str(value)
    if code in (500, 600, 900):
        return struct.pack(">d", float(value)).hex()
    if code == 400:
        return "{:f}".format(decimal.Decimal(repr(value) if value != "NaN" else "NaN").normalize())
    if code == 1100:
        return str(uuid.UUID(bytes=value)).upper()
    data = value.encode() if isinstance(value, str) else value
    return hashlib.sha256(data).hexdigest()[:16]


def dump(database, model, path):
    checker = store_checks.Checker(database, model, path)
    names = {entity.number: entity.name for entity in model.by_number()}
    lines = []
    for entity in model.by_number():
        table = checker.schema.table(entity)
        keys = [row[0] for row in checker.query(
            "SELECT Z_PK FROM %s WHERE Z_ENT = ?" % quoted(table), entity.number)]
        for key in keys:
            lines.append("%s/%d" % (entity.name, key))
        for name, (owner, prop) in model.properties(entity).items():
            if prop.transient:
                continue
            values = to_many(checker, owner, prop) if prop.to_many \
                else column_values(checker, names, owner, prop)
            for key, value in values.items():
                if key in set(keys):
                    lines.append("%s/%d %s=%s" % (entity.name, key, name, value))
    return sorted(lines)


def column_values(checker, names, owner, prop):
    column = checker.schema.columns.get((owner.name, prop.name))
    if column is None:
        return {}
    rows = checker.query("SELECT Z_PK, %s FROM %s WHERE %s IS NOT NULL" % (
        quoted(column), quoted(checker.schema.table(owner)), quoted(column)))
    if not prop.is_relationship:
        return {key: external(checker, prop, value) for key, value in rows}
    target = quoted(checker.schema.table(checker.model.entities[prop.destination]))
    kinds = dict(checker.query("SELECT Z_PK, Z_ENT FROM %s" % target))
    return {key: "%s/%d" % (names.get(kinds.get(value)), value) for key, value in rows}


def external(checker, prop, value):
    if prop.external:
        if value[:1] == b"\x01":
            value = value[1:]
        elif value[:1] == b"\x02" and len(value) == 38:
            with open(checker.external_path(value[1:-1].decode()), "rb") as file:
                value = file.read()
    return text_of(prop, value)


def to_many(checker, owner, prop):
    """Keys of members by key of the owner: in order if there is one, else ascending."""
    schema, model = checker.schema, checker.model
    order = "2"
    if (owner.name, prop.name) in schema.owner_columns:
        table, column = schema.owner_columns[owner.name, prop.name]
        own, far = checker.owner_column(table, column), "Z_PK"
        if prop.ordered:
            order = quoted("Z_FOK_" + own[1:])
    else:
        other, back = model.find(prop.destination, prop.inverse)
        if back.to_many:
            join = next(j for j in schema.joins if prop in (j[1], j[3]))
            table, own, far = checker.join_table(join), join[4], join[5]
            if prop is join[3] and prop is not join[1]:
                own, far = far, own
            if prop.ordered:
                order = quoted("Z_FOK_" + far[2:])
        else:
            table, far = schema.table(other), "Z_PK"
            own = schema.columns[other.name, back.name]
            if prop.ordered:
                order = quoted("Z_FOK_" + own[1:])
    result = {}
    for key, member in checker.query("SELECT %s, %s FROM %s WHERE %s IS NOT NULL ORDER BY %s" % (
            quoted(own), quoted(far), quoted(table), quoted(own), order)):
        result.setdefault(key, []).append(str(member))
    return {key: "[%s]" % ",".join(members) for key, members in result.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model")
    parser.add_argument("store")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        database = sqlite3.connect(check_store.copy_of(arguments.store, folder))
        model = check_store.model_of(database, arguments.model)
        for line in dump(database, model, arguments.store):
            print(line)
        database.close()


if __name__ == "__main__":
    sys.exit(main())
