"""The workloads with Python's module sqlite3: rows are tuples."""

from store import COLUMNS, INSERT_ITEM, connect

TITLE = "Python's sqlite3"


class Plain:
    """One connection for the queries, as bare SQLite has one.

    Each method does a workload and gives the rows that it read or the numbers that it wrote; the
    sum over them is made when the time has been taken.
    """

    def __init__(self, stores, sample):
        self.stores = stores
        self.sample = sample
        self.connection = connect(stores.copy())

    def prepare(self, letter):
        """What is done before the time begins; the result is handed to the workload."""
        if letter in ("a", "b"):
            return connect(self.stores.empty())
        if letter in ("f", "g"):
            connection = connect(self.stores.copy())
            # Read once, as the layer has the rows in memory when the time begins.
            for number in self.sample:
                connection.execute("SELECT ZNUMBER FROM ZITEM WHERE Z_PK = ?", (number,)).fetchone()
            return connection
        return self.stores.base if letter == "o" else self.connection

    def _insert(self, connection, size):
        items = self.stores.items
        for start in range(0, len(items), size):
            connection.execute("BEGIN IMMEDIATE")
            batch = items[start : start + size]
            connection.executemany(INSERT_ITEM, ((row[0],) + row for row in batch))
            connection.execute("COMMIT")
        return [(row[0],) for row in items]

    def a(self, connection):
        return self._insert(connection, len(self.stores.items))

    def b(self, connection):
        return self._insert(connection, 1_000)

    def c(self, connection):
        return connection.execute(f"SELECT {COLUMNS} FROM ZITEM").fetchall()

    def d(self, connection):
        sql = f"SELECT {COLUMNS} FROM ZITEM WHERE Z_PK = ?"
        connection.execute("BEGIN")
        rows = [connection.execute(sql, (number,)).fetchone() for number in self.sample]
        connection.execute("COMMIT")
        return rows

    # There are no objects that could be registered: the rows are read again.
    d2 = d

    def e(self, connection):
        sql = f"SELECT {COLUMNS} FROM ZITEM WHERE ZCATEGORY = ? ORDER BY ZDATE LIMIT 1000"
        rows = []
        for query in range(20):
            rows += connection.execute(sql, (query * 2,)).fetchall()
        return rows

    def f(self, connection):
        sql = "UPDATE ZITEM SET ZNUMBER = ?, ZNAME = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?"
        changes = ((-number, f"updated-{number}", number) for number in self.sample)
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(sql, changes)
        connection.execute("COMMIT")
        return [(number,) for number in self.sample]

    def g(self, connection):
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany(
            "DELETE FROM ZITEM WHERE Z_PK = ?", ((number,) for number in self.sample)
        )
        connection.execute("COMMIT")
        return [(number,) for number in self.sample]

    def h(self, connection):
        sql = "SELECT COUNT(*) FROM ZITEM WHERE ZSCORE > ? AND ZRATIO < ?"
        return [connection.execute(sql, (query * 40_000, 0.75)).fetchone() for query in range(20)]

    def i(self, connection):
        sql = "SELECT ZNUMBER, ZAMOUNT, ZTEXT FROM ZCHILD WHERE ZPARENT = ?"
        rows = []
        for key, name in connection.execute("SELECT Z_PK, ZNAME FROM ZPARENT"):
            rows.append((name,))
            rows += connection.execute(sql, (key,)).fetchall()
        return rows

    def o(self, path):
        connection = connect(path)
        count = len(connection.execute(f"SELECT {COLUMNS} FROM ZITEM").fetchall())
        connection.close()
        return [(count,)]

    def finish(self, letter, prepared):
        if letter in ("a", "b", "f", "g"):
            prepared.close()
