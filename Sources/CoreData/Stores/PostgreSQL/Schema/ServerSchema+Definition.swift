#if PostgreSQL
import Foundation

extension ServerSchema {
    /// The longest name that a server keeps; it cuts off the rest without an error.
    private static let maximumNameSize = 63
    /// Which form of the tables this is: a store must not write into one that it does not know.
    static let format: Int64 = 2
    /// How many keys a store takes from a sequence at once.
    static let keyBlockSize: Int64 = 1_000

    /// - Throws: 134080 for a name that a server can't keep.
    func checkNames(_ url: URL) throws {
        let joins = store.joinTables.flatMap { join in
            [join.name, join.sourceColumn, join.destinationColumn]
                + [join.sourceOrderColumn, join.destinationOrderColumn].compactMap(\.self)
        }
        let names =
            [name, channel] + joins
            + tables.flatMap { [$0.name] + $0.columns.map(\.name) + $0.memberColumns }
        guard
            let long = names.first(where: { $0.utf8.count > Self.maximumNameSize || $0.isEmpty })
        else { return }
        throw CocoaError.storeOpen(
            url,
            "PostgreSQL keeps names of 1 to \(Self.maximumNameSize) bytes, and \"\(long)\" is none: "
                + "shorten the name of the entity, the property or the schema"
        )
    }

    /// The statements that make all that is in the schema.
    func definitions() -> [String] {
        [checkFunction] + bookkeeping
            + tables.flatMap(definitions) + store.joinTables.flatMap(definitions)
            + store.members.flatMap(uniqueConstraints)
    }

    /// What `definitions` make, as a statement that drops it names it. What belongs to a table goes with
    /// it.
    var made: [String] {
        let tables =
            ["z_metadata", "z_transaction", "z_change", "z_numbering"] + tables.map(\.name)
            + store.joinTables.map(\.name)
        return tables.map { "TABLE \(path($0))" }
            + self.tables.map { "SEQUENCE \(keySequence(rootIndex: $0.rootIndex))" }
            + ["FUNCTION \(path("z_check"))(int8, int8, text)"]
    }

    /// Stops a transaction in which a statement has found fewer or more rows than it must, without
    /// a round trip to look at their number.
    private var checkFunction: String {
        """
        CREATE FUNCTION \(path("z_check"))(wanted int8, counted int8, state text) RETURNS void
        LANGUAGE plpgsql AS $$ BEGIN
            IF counted <> wanted THEN
                RAISE EXCEPTION 'expected % rows, found %', wanted, counted USING ERRCODE = state;
            END IF;
        END $$
        """
    }

    private var bookkeeping: [String] {
        [
            "CREATE TABLE \(path("z_metadata")) "
                + "(format int8 NOT NULL, uuid text NOT NULL, plist bytea NOT NULL, "
                // What was made with the store and goes with it, whatever its model has become.
                + "made text[] NOT NULL, makes_schema int8 NOT NULL)",
            // A save; `number` is its place in the feed, given when it is committed. A save that was
            // given up bars its UUID.
            "CREATE TABLE \(path("z_transaction")) (seq bigserial PRIMARY KEY, save uuid UNIQUE, "
                + "is_void boolean NOT NULL DEFAULT false, author text, context text, bundle text, "
                + "process text, at float8, number int8 UNIQUE)",
            "CREATE INDEX ON \(path("z_transaction")) (seq) WHERE number IS NULL AND NOT is_void",
            // What a save has changed: rows of one entity in one way; each key has its changed
            // columns, if it was an update, and its version and what outlives the row, if it was a
            // deletion.
            "CREATE TABLE \(path("z_change")) (seq int8, place int8, entity int8, kind int8, "
                + "keys int8[], columns bytea[], tombstones bytea[], versions int8[], "
                + "PRIMARY KEY (seq, place))",
            // To compress the keys of a large save takes the server as long as to write some of its
            // rows.
            "ALTER TABLE \(path("z_change")) ALTER keys SET STORAGE EXTERNAL, "
                + "ALTER columns SET STORAGE EXTERNAL, ALTER versions SET STORAGE EXTERNAL",
            // Rows that come back ask for the versions that their keys have had.
            "CREATE INDEX ON \(path("z_change")) USING gin (keys) "
                + "WHERE kind = \(NSPersistentHistoryChangeType.delete.rawValue)",
            // The last number that was given, the last one whose changes are deleted, and the highest
            // version of the rows whose deletions are among these.
            "CREATE TABLE \(path("z_numbering")) "
                + "(last int8 NOT NULL, trimmed int8 NOT NULL, deleted_version int8 NOT NULL)",
            "INSERT INTO \(path("z_numbering")) VALUES (0, 0, 0)",
        ]
    }

    private func definitions(_ table: Table) -> [String] {
        let columns =
            ["\"Z_PK\" int8 PRIMARY KEY", "\"Z_ENT\" int8 NOT NULL", "\"Z_OPT\" int8 NOT NULL"]
            + table.columns.map { column in
                // By bytes, as SQLite compares where values must be unique.
                let collation = column.type == .text ? " COLLATE \"C\"" : ""
                return "\(Self.quoted(column.name)) \(column.type.name)\(collation)"
            }
            + table.memberColumns.map { "\(Self.quoted($0)) int8" }
        return [
            "CREATE TABLE \(path(table.name)) (\(columns.joined(separator: ", ")))",
            "CREATE SEQUENCE \(keySequence(rootIndex: table.rootIndex)) "
                + "INCREMENT BY \(Self.keyBlockSize)",
        ]
            + keyColumns(table).map {
                "CREATE INDEX ON \(path(table.name)) (\(Self.quoted($0)))"
            }
    }

    /// The columns that lead to other rows.
    private func keyColumns(_ table: Table) -> [String] {
        store.entityTable(rootIndex: table.rootIndex)?.columns.compactMap { column in
            switch column.role {
            case .value(let place):
                let kind = store.model.entities[place.entity].slots[place.slot].kind
                return kind == .toOne ? column.name : nil
            case .owner: return column.name
            case .element, .destinationEntity, .order, .ownerOrder: return nil
            }
        } ?? []
    }

    private func definitions(_ join: JoinTable) -> [String] {
        let source = Self.quoted(join.sourceColumn)
        let destination = Self.quoted(join.destinationColumn)
        let orders = [join.sourceOrderColumn, join.destinationOrderColumn].compactMap(\.self)
        return [
            "CREATE TABLE \(path(join.name)) (\(source) int8, \(destination) int8"
                + orders.map { ", \(Self.quoted($0)) int8" }.joined()
                + ", PRIMARY KEY (\(source), \(destination)))",
            "CREATE INDEX ON \(path(join.name)) (\(destination), \(source))",
        ]
    }

    private func uniqueConstraints(_ entity: EntityLayout) -> [String] {
        store.uniquenessConstraints(of: entity).compactMap { keys in
            guard let table = store.entityTable(rootIndex: entity.rootIndex) else { return nil }
            let columns = keys.compactMap { key in
                entity.slot(named: key).flatMap { store.columns(entity, $0.index).value }
            }
            // One over some of the keys would refuse rows that are allowed.
            guard columns.count == keys.count, !keys.isEmpty else { return nil }
            // Looked at by the commit: rows may exchange their values.
            return "ALTER TABLE \(path(table.name)) ADD UNIQUE "
                + "(\(columns.map(Self.quoted).joined(separator: ", "))) "
                + "DEFERRABLE INITIALLY DEFERRED"
        }
    }
}
#endif
