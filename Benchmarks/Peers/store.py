"""The store that the peers work on: the tables, indexes and pragmas of the runtime's own stores."""

import itertools
import shutil
import sqlite3

from rows import families

KEYS = "number category score code ratio amount name mail text date".split()
COLUMNS = ", ".join("Z" + key.upper() for key in KEYS)
TABLES = [
    "CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCATEGORY INTEGER,"
    " ZCODE INTEGER, ZNUMBER INTEGER, ZSCORE INTEGER, ZAMOUNT FLOAT, ZDATE TIMESTAMP, ZRATIO FLOAT,"
    " ZMAIL VARCHAR, ZNAME VARCHAR, ZTEXT VARCHAR)",
    "CREATE TABLE ZPARENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR)",
    "CREATE TABLE ZCHILD (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNUMBER INTEGER,"
    " ZPARENT INTEGER, ZAMOUNT FLOAT, ZTEXT VARCHAR)",
]
INDEXES = [
    "CREATE INDEX byCategory ON ZITEM (ZCATEGORY, ZDATE)",
    "CREATE INDEX byParent ON ZCHILD (ZPARENT)",
]
INSERT_ITEM = (
    f"INSERT INTO ZITEM (Z_PK, Z_ENT, Z_OPT, {COLUMNS})"
    " VALUES (?, 1, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
# Page size and vacuum first: they have an effect as long as the file is empty.
PRAGMAS = [
    ("page_size", 4096),
    ("auto_vacuum", 2),
    ("journal_mode", "wal"),
    ("synchronous", 2),
    ("cache_size", -65536),
]


def set_pragmas(connection):
    """Sets the pragmas, and looks whether SQLite has taken them."""
    for name, value in PRAGMAS:
        connection.execute(f"PRAGMA {name}={value}").close()
        taken = connection.execute(f"PRAGMA {name}").fetchone()[0]
        if taken != value:
            raise RuntimeError(f"SQLite has {name}={taken}, and the bench needs {value}.")


def connect(path):
    """Opens a file whose transactions are begun and ended by hand."""
    connection = sqlite3.connect(path, isolation_level=None)
    set_pragmas(connection)
    return connection


class Stores:
    """Files with rows, and without."""

    def __init__(self, folder, items):
        self.folder = folder
        self.items = items
        self.count = itertools.count(1)
        self.base = folder / "base.sqlite"
        self._fill()

    def empty(self):
        """A new file with a table for items and no index, as workloads a and b have it."""
        path = self.folder / f"{next(self.count)}.sqlite"
        connection = connect(path)
        connection.execute(TABLES[0])
        connection.close()
        return path

    def copy(self):
        """A file with all rows and indexes."""
        path = self.folder / f"{next(self.count)}.sqlite"
        shutil.copyfile(self.base, path)
        return path

    def _fill(self):
        connection = connect(self.base)
        for statement in TABLES + INDEXES:
            connection.execute(statement)
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(INSERT_ITEM, ((row[0],) + row for row in self.items))
        key = 0
        for parent, (name, children) in enumerate(families(len(self.items)), 1):
            connection.execute("INSERT INTO ZPARENT VALUES (?, 3, 1, ?)", (parent, name))
            for number, amount, text in children:
                key += 1
                connection.execute(
                    "INSERT INTO ZCHILD VALUES (?, 2, 1, ?, ?, ?, ?)",
                    (key, number, parent, amount, text),
                )
        connection.execute("COMMIT")
        # The last connection that closes takes the log back into the file, which alone is copied.
        connection.close()
