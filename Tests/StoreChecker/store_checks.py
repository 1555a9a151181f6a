"""The rules that a store has to keep, one function for each group of them."""
import base64
import hashlib
import os
import plistlib
import re
import uuid

import store_model

CHANGE, TRANSACTION, STRING = 16001, 16002, 16003


def integrity(database):
    try:
        lines = [row[0] for row in database.execute("PRAGMA integrity_check")]
    except Exception as error:  # sqlite3.DatabaseError: the file is beyond checking.
        return ["integrity: %s" % error]
    return ["integrity: %s" % line for line in lines if line != "ok"]


def all_problems(database, model, path):
    checker = Checker(database, model, path)
    for check in (checker.bookkeeping, checker.metadata, checker.tables, checker.rows,
                  checker.to_ones, checker.orders, checker.owners, checker.joins, checker.counts,
                  checker.constraints, checker.history, checker.external_files):
        check()
        if check == checker.tables and checker.problems:
            break  # The rest would stumble over what is missing.
    return checker.problems


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


class Checker:
    def __init__(self, database, model, path):
        self.database = database
        self.model = model
        self.schema = store_model.Schema(model)
        self.path = path
        self.problems = []
        self.columns = {}
        names = [row[0] for row in self.query("SELECT name FROM sqlite_master WHERE type='table'")]
        for name in names:
            info = self.query("SELECT name, type FROM pragma_table_info(?)", name)
            self.columns[name] = dict(info)

    def query(self, sql, *values):
        return self.database.execute(sql, values).fetchall()

    def say(self, rule, sentence, *values):
        self.problems.append(rule + ": " + sentence % values)

    # MARK: Bookkeeping

    def bookkeeping(self):
        rows = {row[0]: row for row in
                self.query("SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM Z_PRIMARYKEY")}
        for entity in self.model.by_number():
            row = rows.get(entity.number)
            if row is None:
                self.say("primary key", "no row for %s (%d)", entity.name, entity.number)
                continue
            parent = self.model.entities[entity.parent].number if entity.parent else 0
            if row[2] != parent:
                self.say("primary key", "%s has the parent %s, not %d", entity.name, row[2], parent)
            if entity.parent:
                if row[3] != 0:
                    self.say("primary key", "%s is no root, and has a maximum", entity.name)
            else:
                self.check_maximum(self.schema.table(entity), row[3])
        for number in rows:
            if number <= 16000 and number > len(self.model.entities):
                self.say("primary key", "a row for the unknown entity %d", number)

    def check_maximum(self, table, maximum):
        if table in self.columns:
            highest = self.query("SELECT max(Z_PK) FROM %s" % quoted(table))[0][0] or 0
            if (maximum or 0) < highest:
                self.say("primary key", "%s has the key %d above Z_MAX %s", table, highest, maximum)

    def metadata(self):
        rows = self.query("SELECT Z_VERSION, Z_UUID, Z_PLIST FROM Z_METADATA")
        if len(rows) != 1 or rows[0][0] != 1:
            self.say("metadata", "%d rows", len(rows))
            return
        try:
            if str(uuid.UUID(rows[0][1])).upper() != rows[0][1]:
                self.say("metadata", "the UUID is not in upper case")
            plist = plistlib.loads(rows[0][2])
        except Exception as error:
            self.say("metadata", "cannot be read (%s)", error)
            return
        if plist.get("NSStoreType") != "SQLite":
            self.say("metadata", "the type is %s", plist.get("NSStoreType"))
        if plist.get("NSStoreModelVersionHashesVersion") != 3:
            self.say("metadata", "the version of the hashes is not 3")
        if plist.get("_NSAutoVacuumLevel") != "2":
            self.say("metadata", "_NSAutoVacuumLevel is not the string 2")
        self.check_hashes(plist)

    def check_hashes(self, plist):
        hashes = plist.get("NSStoreModelVersionHashes", {})
        if set(hashes) != set(self.model.entities):
            self.say("metadata", "the hashes are of other entities than the model's")
        if any(len(value) != 32 for value in hashes.values()):
            self.say("metadata", "a hash has not 32 bytes")
        ordered = sorted(hashes.items(), key=lambda item: item[0].encode())
        digest = b"".join(name.encode() + value for name, value in ordered)
        checksum = b"".join(value for _, value in ordered)
        expected = {
            "NSStoreModelVersionHashesDigest": hashlib.sha512(digest).digest(),
            "NSStoreModelVersionChecksumKey": hashlib.sha256(checksum).digest(),
        }
        for key, value in expected.items():
            if key in plist and plist[key] != base64.b64encode(value).decode():
                self.say("metadata", "%s does not fit the hashes", key)

    # MARK: Tables and rows

    def tables(self):
        for (owner, name), column in self.schema.columns.items():
            table = self.schema.table(self.model.entities[owner])
            if column not in self.columns.get(table, {}):
                self.say("tables", "%s has no column %s", table, column)
        for table, column in self.schema.owner_columns.values():
            if self.owner_column(table, column) is None:
                self.say("tables", "%s has no column %s", table, column)
        for join in self.schema.joins:
            if self.join_table(join) is None:
                self.say("tables", "%s.%s has no join table", join[0].name, join[1].name)

    def owner_column(self, table, column):
        if column in self.columns.get(table, {}):
            return column
        pattern = re.compile(r"Z\d+" + re.escape(column.lstrip("Z0123456789")) + "$")
        found = [name for name in self.columns.get(table, {}) if pattern.match(name)]
        return found[0] if len(found) == 1 else None

    def join_table(self, join):
        entity, prop, other, back, own, far = join
        for number, name in ((entity.number, prop.name), (other.number, back.name)):
            table = "Z_%d%s" % (number, name.upper())
            if {own, far} <= set(self.columns.get(table, {})):
                return table
        return None

    STORED = {100: ("integer",), 200: ("integer",), 300: ("integer",), 800: ("integer",),
              400: ("integer", "real", "text"), 500: ("real", "integer"), 600: ("real", "integer"),
              900: ("real", "integer"), 700: ("text",), 1200: ("text",), 1100: ("blob",),
              1800: ("blob",), 1000: ("blob",)}

    def rows(self):
        for root in self.model.by_number():
            if root.parent is None:
                self.check_entities(root)
        for entity in self.model.by_number():
            for prop in entity.own.values():
                column = self.schema.columns.get((entity.name, prop.name))
                if column is not None and not prop.is_relationship:
                    self.check_values(entity, prop, column)

    def check_entities(self, root):
        table = self.schema.table(root)
        concrete = {e.number for e in self.model.by_number()
                    if root.number <= e.number <= root.last and not e.abstract}
        for key, number, version in self.query("SELECT Z_PK, Z_ENT, Z_OPT FROM %s" % quoted(table)):
            if number not in concrete:
                self.say("rows", "%s %d is of the entity %s", table, key, number)
            if key < 1 or (version is not None and version < 1):
                self.say("rows", "%s %d has the version %s", table, key, version)

    def check_values(self, entity, prop, column):
        table, column = quoted(self.schema.table(entity)), quoted(column)
        types = self.STORED[prop.type]
        for key, kind, count in self.query(
                "SELECT Z_PK, typeof(%s), length(%s) FROM %s WHERE %s IS NOT NULL"
                % (column, column, table, column)):
            if kind not in types:
                self.say("values", "%s.%s of %d is stored as %s", entity.name, prop.name, key, kind)
            elif prop.type == 1100 and count != 16:
                self.say("values", "%s.%s of %d has %d bytes", entity.name, prop.name, key, count)
        if prop.type == 800:
            for (key,) in self.query("SELECT Z_PK FROM %s WHERE %s NOT IN (0, 1)" % (table, column)):
                self.say("values", "%s.%s of %d is neither 0 nor 1", entity.name, prop.name, key)

    # MARK: Relationships

    def stored_to_ones(self):
        for entity in self.model.by_number():
            for prop in entity.own.values():
                if prop.is_relationship and not prop.to_many and not prop.transient:
                    yield entity, prop, self.schema.columns[entity.name, prop.name]

    def to_ones(self):
        for entity, prop, column in self.stored_to_ones():
            target = self.model.entities[prop.destination]
            table, far = self.schema.table(entity), self.schema.table(target)
            mark = re.compile(r"Z\d+_" + re.escape(column[1:]) + "$")
            kinds = [name for name in self.columns[table] if mark.match(name)]
            kind = "s." + quoted(kinds[0]) if kinds else "NULL"
            name = "%s.%s" % (entity.name, prop.name)
            if target.last > target.number and not kinds:
                self.say("to-one", "%s has no column for the entity of its destination", name)
            for key, value, number, found in self.query(
                    "SELECT s.Z_PK, s.%s, %s, d.Z_ENT FROM %s s LEFT JOIN %s d ON d.Z_PK = s.%s "
                    "WHERE s.%s IS NOT NULL" % (quoted(column), kind, quoted(table), quoted(far),
                                                quoted(column), quoted(column))):
                if found is None:
                    self.say("to-one", "%s of %d leads to %s, which is not there", name, key, value)
                elif not target.number <= found <= target.last:
                    self.say("to-one", "%s of %d leads to an entity %d", name, key, found)
                elif number is not None and number != found:
                    self.say("to-one", "%s of %d says entity %s, not %d", name, key, number, found)
            self.check_one_to_one(entity, prop, column, target)

    def check_one_to_one(self, entity, prop, column, target):
        if prop.inverse is None:
            return
        other, back = self.model.find(prop.destination, prop.inverse)
        if back.to_many:
            return
        far_column = self.schema.columns[other.name, back.name]
        for (key,) in self.query(
                "SELECT s.Z_PK FROM %s s JOIN %s d ON d.Z_PK = s.%s WHERE d.%s IS NOT s.Z_PK"
                % (quoted(self.schema.table(entity)), quoted(self.schema.table(target)),
                   quoted(column), quoted(far_column))):
            self.say("to-one", "the inverse of %s.%s of %d leads elsewhere", entity.name, prop.name,
                     key)

    def orders(self):
        """The places in ordered one-to-many relationships."""
        for entity, prop, column in self.stored_to_ones():
            if prop.inverse is None or not self.model.find(prop.destination, prop.inverse)[1].ordered:
                continue
            order = "Z_FOK_" + column[1:]
            table = self.schema.table(entity)
            if order not in self.columns[table]:
                self.say("order", "%s has no column %s", table, order)
                continue
            self.check_order(table, column, order)

    def check_order(self, table, owner, order):
        for key, _ in self.query(
                "SELECT Z_PK, 0 FROM %s WHERE (%s IS NULL) <> (%s IS NULL)"
                % (quoted(table), quoted(owner), quoted(order))) \
                if "Z_PK" in self.columns[table] else self.query(
                "SELECT %s, 0 FROM %s WHERE %s IS NULL" % (quoted(owner), quoted(table),
                                                           quoted(order))):
            self.say("order", "%s %s is in a collection without a place, or the reverse", table, key)
        for key, place in self.query(
                "SELECT %s, %s FROM %s WHERE %s IS NOT NULL AND %s IS NOT NULL "
                "GROUP BY 1, 2 HAVING count(*) > 1"
                % (quoted(owner), quoted(order), quoted(table), quoted(owner), quoted(order))):
            self.say("order", "%s has the place %s of the owner %s twice", table, place, key)

    def owners(self):
        """To-many relationships without inverse."""
        for (owner, name), (table, column) in self.schema.owner_columns.items():
            column = self.owner_column(table, column)
            entity = self.model.entities[owner]
            for key, value, number in self.query(
                    "SELECT m.Z_PK, m.%s, o.Z_ENT FROM %s m LEFT JOIN %s o ON o.Z_PK = m.%s "
                    "WHERE m.%s IS NOT NULL" % (quoted(column), quoted(table),
                                                quoted(self.schema.table(entity)), quoted(column),
                                                quoted(column))):
                if number is None or not entity.number <= number <= entity.last:
                    self.say("owner", "%s %d is in %s.%s of %s, which is not there", table, key,
                             owner, name, value)

    def joins(self):
        for join in self.schema.joins:
            entity, prop, other, back, own, far = join
            table = self.join_table(join)
            for column, end in ((own, entity), (far, other)):
                for (key,) in self.query(
                        "SELECT j.%s FROM %s j LEFT JOIN %s e ON e.Z_PK = j.%s "
                        "WHERE e.Z_ENT IS NULL OR e.Z_ENT NOT BETWEEN ? AND ?"
                        % (quoted(column), quoted(table), quoted(self.schema.table(end)),
                           quoted(column)), end.number, end.last):
                    self.say("join", "%s leads to %s %s, which is not there", table, end.name, key)
            for relationship, owner, member in ((prop, own, far), (back, far, own)):
                if relationship.ordered:
                    order = "Z_FOK_" + member[2:]
                    if order not in self.columns[table]:
                        self.say("order", "%s has no column %s", table, order)
                    else:
                        self.check_order(table, owner, order)
            if own == "REFLEXIVE":
                for key, _ in self.query(
                        "SELECT a.%s, 0 FROM %s a WHERE NOT EXISTS (SELECT 1 FROM %s b "
                        "WHERE b.%s = a.%s AND b.%s = a.%s)"
                        % (quoted(far), quoted(table), quoted(table), quoted(own), quoted(far),
                           quoted(far), quoted(own))):
                    self.say("join", "%s lacks the way back from %s", table, key)

    # MARK: Values that follow from others

    def counts(self):
        for entity in self.model.by_number():
            for prop in entity.own.values():
                if prop.count_of is None:
                    continue
                _, relationship = self.model.find(entity.name, prop.count_of)
                if relationship.inverse is None:
                    continue
                target = self.model.entities[relationship.destination]
                owner, back = self.model.find(target.name, relationship.inverse)
                if back.to_many:
                    continue
                key = self.schema.columns[owner.name, back.name]
                for row, in self.query(
                        "SELECT o.Z_PK FROM %s o WHERE o.Z_ENT BETWEEN ? AND ? AND IFNULL(o.%s, 0) "
                        "<> (SELECT count(*) FROM %s m WHERE m.%s = o.Z_PK)"
                        % (quoted(self.schema.table(entity)),
                           quoted(self.schema.columns[entity.name, prop.name]),
                           quoted(self.schema.table(target)), quoted(key)),
                        entity.number, entity.last):
                    self.say("derived", "%s.%s of %d is not the count", entity.name, prop.name, row)

    def constraints(self):
        for entity in self.model.by_number():
            for group in entity.unique:
                pairs = [self.model.find(entity.name, name) for name in group]
                columns = [quoted(self.schema.columns[o.name, p.name]) for o, p in pairs]
                table = quoted(self.schema.table(entity))
                for row in self.query(
                        "SELECT count(*) FROM %s WHERE Z_ENT BETWEEN ? AND ? AND %s GROUP BY %s "
                        "HAVING count(*) > 1"
                        % (table, " AND ".join(c + " IS NOT NULL" for c in columns),
                           ", ".join(columns)), entity.number, entity.last):
                    self.say("unique", "%s (%s) has a value %d times", entity.name,
                             ", ".join(group), row[0])

    # MARK: History

    def history(self):
        if "ACHANGE" not in self.columns:
            return
        maxima = dict(self.query("SELECT Z_ENT, Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT BETWEEN ? AND ?",
                                 CHANGE, STRING))
        tables = {CHANGE: "ACHANGE", TRANSACTION: "ATRANSACTION", STRING: "ATRANSACTIONSTRING"}
        for number, table in tables.items():
            if number not in maxima:
                self.say("history", "Z_PRIMARYKEY has no row %d", number)
                continue
            self.check_maximum(table, maxima[number])
            for (key,) in self.query("SELECT Z_PK FROM %s WHERE Z_ENT <> ?" % table, number):
                self.say("history", "%s %d is of another entity", table, key)
        for (key,) in self.query("SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID NOT IN "
                                 "(SELECT Z_PK FROM ATRANSACTION) OR ZTRANSACTIONID IS NULL"):
            self.say("history", "the change %d is of no transaction", key)
        for column in ("ZAUTHORTS", "ZBUNDLEIDTS", "ZCONTEXTNAMETS", "ZPROCESSIDTS"):
            for (key,) in self.query("SELECT Z_PK FROM ATRANSACTION WHERE %s NOT IN "
                                     "(SELECT Z_PK FROM ATRANSACTIONSTRING)" % column):
                self.say("history", "%s of the transaction %d is not there", column, key)
        self.check_changes()

    def check_changes(self):
        entities = {entity.number: entity for entity in self.model.by_number()}
        for key, kind, number, columns in self.query(
                "SELECT Z_PK, ZCHANGETYPE, ZENTITY, ZCOLUMNS FROM ACHANGE"):
            if kind not in (0, 1, 2):
                self.say("history", "the change %d is of the kind %s", key, kind)
            if number > 16000:
                continue
            entity = entities.get(number)
            if entity is None or entity.abstract:
                self.say("history", "the change %d is of the entity %s", key, number)
            elif (columns is not None) != (kind == 1):
                self.say("history", "the change %d has columns and is no update, or the reverse", key)
            elif columns is not None:
                # Fetched properties may count or not; the model that is read here has none.
                count = len(self.model.properties(entity))
                if len(columns) < (count + 7) // 8:
                    self.say("history", "the columns of the change %d have %d bytes", key,
                             len(columns))

    # MARK: External values

    def external_path(self, name):
        folder, base = os.path.split(os.path.abspath(self.path))
        support = ".%s_SUPPORT" % os.path.splitext(base)[0]
        return os.path.join(folder, support, "_EXTERNAL_DATA", name)

    def external_files(self):
        support = self.external_path("")
        files = set(os.listdir(support)) if os.path.isdir(support) else set()
        used = set()
        for entity in self.model.by_number():
            for prop in entity.own.values():
                if not prop.external or (entity.name, prop.name) not in self.schema.columns:
                    continue
                column = quoted(self.schema.columns[entity.name, prop.name])
                for key, value in self.query(
                        "SELECT Z_PK, substr(%s, 1, 40) FROM %s WHERE %s IS NOT NULL"
                        % (column, quoted(self.schema.table(entity)), column)):
                    name = self.external_name(entity, prop, key, value)
                    if name is not None and name in used:
                        self.say("external", "the file %s is used twice", name)
                    if name is not None and name not in files:
                        self.say("external", "the file %s is missing", name)
                    used.add(name)
        for name in sorted(files - used):
            self.say("external", "no row refers to the file %s", name)

    def external_name(self, entity, prop, key, value):
        if value[:1] == b"\x01":
            return None
        if value[:1] == b"\x02" and len(value) == 38 and value[-1:] == b"\x00":
            return value[1:-1].decode("ascii", "replace")
        self.say("external", "%s.%s of %d has no marker", entity.name, prop.name, key)
        return None
