import CSQLite
import Foundation

/// Writes saves through the one connection that writes.
///
/// > Threading: Confined to the lock that holds it.
final class StoreWriter {
    let connection: SQLiteConnection
    let schema: StoreSchema
    let file: StoreFile
    let external: ExternalDataChanges
    /// Nil for a store without history.
    let history: HistoryWriter?
    /// Whether main gets the processor in the middle of a transaction. Where main saves, too, it waits for the
    /// lock, which a thread without a processor would keep for longer.
    var givesWay = true
    private var yieldPoint = YieldPoint()
    private var binders: [RowBinder?]
    /// For rows that are in the way of a save.
    private var rootPlans: [Int: RowPlan] = [:]
    // By entity and not by their text, which would be hashed again for each row of an import.
    private var inserts: [SQLiteStatement?]
    private var updates: [UpdateShape: SQLiteStatement] = [:]
    /// The last of `updates`: rows of one kind with the same changes follow each other.
    private var lastUpdate: (shape: UpdateShape, statement: SQLiteStatement)?

    /// How many writers the store had before this one since it was opened.
    let number: Int
    /// Whether this process has deleted rows, or may have before this writer was made.
    var hasDeleted: Bool
    /// The file's content when the writer was made, as `PRAGMA data_version` numbers it.
    let firstContent: Int64?

    /// What determines the text of an update.
    struct UpdateShape: Hashable {
        let entity: Int
        let changed: SlotSet
    }
    private static let maximumUpdateStatements = 200
    /// How many new rows whoever follows a save is told of at once.
    static let rowsAtOnce = 100

    init(
        _ connection: SQLiteConnection,
        schema: StoreSchema,
        file: StoreFile,
        history: HistorySchema?,
        isReplica: Bool,
        number: Int
    ) throws {
        self.connection = connection
        self.number = number
        // Nothing was written before the first one.
        hasDeleted = number > 0
        // Now, before any context can have read from the store: what others delete later changes
        // it.
        firstContent = try Self.content(connection)
        self.schema = schema
        self.file = file
        external = ExternalDataChanges(file.externalData)
        self.history = history.map {
            HistoryWriter(connection, schema: schema, history: $0, isRelayed: isReplica)
        }
        binders = schema.model.entities.map { _ in nil }
        inserts = schema.model.entities.map { _ in nil }
    }

    func finalizeStatements() {
        inserts = schema.model.entities.map { _ in nil }
        updates = [:]
        lastUpdate = nil
        connection.finalizeStatements()
    }

    /// Executes the changes inside the transaction that the caller has begun.
    ///
    /// Deletes come first and inserts last, so that a new row may take a unique value that an old
    /// one gives up in the same save.
    ///
    /// - Parameter whenInserted: Called with some of the new rows when they are written, and all before
    ///   them; not with what comes behind the last ``rowsAtOnce``, nor if something is wrong so far.
    func execute(
        _ changes: StoreChangeSet,
        whenInserted: ((StoreWriter, ArraySlice<Row>) throws -> Void)? = nil
    ) throws {
        connection.derivedChanges.rows = []
        var conflicts: [RowConflicts.Conflict] = []
        var violations: [UniquenessViolations.Violation] = []
        for delete in changes.deletes {
            try self.delete(delete, &conflicts)
            giveWay()
        }
        try update(changes.updates, &conflicts, &violations)
        // A conflict rolls everything back, and is told before violations: what the merge policy
        // makes of it may take away what they complain of.
        if conflicts.isEmpty {
            var rest = changes.inserts[...]
            if let whenInserted {
                while rest.count >= Self.rowsAtOnce, conflicts.isEmpty, violations.isEmpty {
                    let rows = rest.prefix(Self.rowsAtOnce)
                    try insert(rows, changes.reinserts, &conflicts, &violations)
                    rest = rest.dropFirst(rows.count)
                    if conflicts.isEmpty, violations.isEmpty { try whenInserted(self, rows) }
                }
            }
            try insert(rest, changes.reinserts, &conflicts, &violations)
        }
        guard conflicts.isEmpty else { throw RowConflicts(conflicts: conflicts) }
        guard violations.isEmpty else { throw UniquenessViolations(violations: violations) }
        // After the rows, among which new ones may be what others refer to.
        try checkReferences(to: changes.deletes)
        try checkTargets(of: changes)
        // For the saves that follow: of what this one deletes itself, validation knows.
        if !changes.deletes.isEmpty { hasDeleted = true }
        for delete in changes.deletes { try removeJoins(of: delete.reference) }
        try write(changes.toManyChanges)
        history?.note(changes)
    }

    /// Runs a transaction, with its history, and the files of external values before it.
    ///
    /// - Parameter beforeCommit: Called last, when only the commit is left to fail.
    /// - Returns: The body's result, and the files that are superfluous from now on.
    func transaction<Result>(
        _ origin: ChangeOrigin,
        beforeCommit: () throws -> Void = {},
        _ body: () throws -> Result
    ) throws -> (result: Result, superfluousFiles: [String]) {
        history?.begin()
        do {
            let result = try connection.transaction {
                let result = try body()
                // Inside of the transaction: a change and its history are committed together.
                try history?.write(origin)
                try external.willCommit()
                // Other stores of the save commit in it: from here on only the commit may fail.
                try beforeCommit()
                return result
            }
            return (result, external.didCommit())
        } catch {
            external.rollBack(mayCount: connection.isOutcomeUnknown)
            throw error
        }
    }

    // MARK: Rows

    /// To be called with each row.
    @inline(__always) private func giveWay() {
        if givesWay { yieldPoint.pass() }
    }

    private func insert(
        _ rows: ArraySlice<Row>,
        _ reinserts: Set<RowReference>,
        _ conflicts: inout [RowConflicts.Conflict],
        _ violations: inout [UniquenessViolations.Violation]
    ) throws {
        var index = rows.startIndex
        while index < rows.endIndex {
            let entityIndex = rows[index].entityIndex
            let (binder, statement) = try insertion(entityIndex)
            // Rows come in the order of their entities.
            while index < rows.endIndex, rows[index].entityIndex == entityIndex {
                let row = rows[index]
                let isNew = reinserts.isEmpty || !reinserts.contains(row.reference)
                try insert(row, isNew: isNew, binder, statement, &conflicts, &violations)
                giveWay()
                index += 1
            }
        }
    }

    /// What inserts rows of an entity.
    private func insertion(
        _ entityIndex: Int
    ) throws -> (binder: RowBinder, statement: SQLiteStatement) {
        let binder = try binder(entityIndex)
        if let prepared = inserts[entityIndex] { return (binder, prepared) }
        let statement = try SQLiteStatement(connection.handle, binder.insertSQL)
        inserts[entityIndex] = statement
        return (binder, statement)
    }

    /// - Parameter isNew: Whether the row's key is new; else somebody may have inserted it again.
    private func insert(
        _ row: Row,
        isNew: Bool,
        _ binder: RowBinder,
        _ statement: SQLiteStatement,
        _ conflicts: inout [RowConflicts.Conflict],
        _ violations: inout [UniquenessViolations.Violation]
    ) throws {
        // In place and not cleared afterwards: the next row is bound over it before SQLite reads it
        // again.
        binder.bindInsert(row, external: try externalContent(row, binder), statement)
        do {
            try statement.run()
        } catch {
            if error.isPrimaryKeyInUse {
                guard !isNew else { throw PrimaryKeysTaken(rootIndex: binder.layout.rootIndex) }
                conflicts.append(try conflict(row.reference, 0))
                return
            }
            violations.append(try violation(error, row))
        }
    }

    private func update(
        _ updates: [StoreChangeSet.Update],
        _ conflicts: inout [RowConflicts.Conflict],
        _ violations: inout [UniquenessViolations.Violation]
    ) throws {
        guard !updates.isEmpty else { return }
        // Only an exchange of values needs the way back, and that takes two rows.
        let unique = updates.contains { hasUniqueChange($0) } && updates.count > 1
        if unique { try connection.execute("SAVEPOINT updates") }
        let mark = external.mark
        var found: [UniquenessViolations.Violation] = []
        for update in updates {
            try self.update(update, &conflicts, &found)
            giveWay()
        }
        // Rows may exchange unique values. SQLite checks each row at once, so they give up the
        // old values first.
        if unique, !found.isEmpty, conflicts.isEmpty {
            try connection.execute("ROLLBACK TO updates")
            external.undo(to: mark)
            found = []
            for update in updates where hasUniqueChange(update) {
                try giveUpUniqueValues(update)
            }
            for update in updates { try self.update(update, &conflicts, &found) }
        }
        if unique { try connection.execute("RELEASE updates") }
        violations += found
    }

    private func update(
        _ update: StoreChangeSet.Update,
        _ conflicts: inout [RowConflicts.Conflict],
        _ violations: inout [UniquenessViolations.Violation]
    ) throws {
        let binder = try binder(update.row.entityIndex)
        let statement = try updateStatement(binder, update.changed)
        try willReplaceExternalValues(update.row.primaryKey, binder, changed: update.changed)
        binder.bindUpdate(
            update.row,
            changed: update.changed,
            oldVersion: update.old.version,
            external: try externalContent(update.row, binder, changed: update.changed),
            statement
        )
        do {
            try statement.run()
        } catch {
            violations.append(try violation(error, update.row))
            return
        }
        // The version is in the condition, so no row means that somebody else has written it since.
        if connection.changeCount != 1 {
            conflicts.append(try conflict(update.row.reference, update.old.version))
        }
    }

    private func updateStatement(
        _ binder: RowBinder,
        _ changed: SlotSet
    ) throws -> SQLiteStatement {
        let shape = UpdateShape(entity: binder.layout.index, changed: changed)
        if let lastUpdate, lastUpdate.shape == shape { return lastUpdate.statement }
        if updates.count >= Self.maximumUpdateStatements { updates = [:] }
        let statement: SQLiteStatement
        if let prepared = updates[shape] {
            statement = prepared
        } else {
            statement = try SQLiteStatement(connection.handle, binder.updateSQL(changed))
            updates[shape] = statement
        }
        lastUpdate = (shape, statement)
        return statement
    }

    private func delete(
        _ delete: StoreChangeSet.Delete,
        _ conflicts: inout [RowConflicts.Conflict]
    ) throws {
        let binder = try binder(delete.reference.entityIndex)
        // Both read from the row that is deleted below.
        try willReplaceExternalValues(delete.reference.primaryKey, binder)
        try history?.willDelete(
            binder.layout,
            SQLFragment("Z_PK = ?", [.integer(delete.reference.primaryKey)])
        )
        let statement = try connection.statement(binder.deleteSQL)
        statement.bind(1, delete.reference.primaryKey)
        statement.bind(2, Int64(delete.version))
        try statement.run()
        if connection.changeCount != 1 {
            conflicts.append(try conflict(delete.reference, delete.version))
        }
    }

    /// What the store has where a save expected a version.
    private func conflict(
        _ reference: RowReference,
        _ version: Int32
    ) throws -> RowConflicts.Conflict {
        RowConflicts.Conflict(
            reference: reference,
            expectedVersion: version,
            stored: try storedRow(
                schema.model.entities[reference.entityIndex],
                reference.primaryKey
            )
        )
    }

    /// A row as the transaction sees it. It is in no cache: the transaction may be undone.
    func storedRow(_ layout: EntityLayout, _ primaryKey: Int64) throws -> Row? {
        // By the root: the row in the way may be of any entity of the tree.
        let plan = rootPlan(layout.rootIndex)
        let statement = try connection.statement(plan.byKeySQL)
        defer { statement.reset() }
        statement.bind(1, primaryKey)
        guard try statement.step() else { return nil }
        return try plan.row(statement, cache: nil)
    }

    private func rootPlan(_ rootIndex: Int) -> RowPlan {
        if let plan = rootPlans[rootIndex] { return plan }
        let root = schema.model.entities[rootIndex]
        let plan = RowPlan(root, includesSubentities: true, schema: schema, file: file)
        rootPlans[rootIndex] = plan
        return plan
    }

    @inline(__always) func binder(_ entityIndex: Int) throws -> RowBinder {
        if let binder = binders[entityIndex] { return binder }
        guard schema.numbers[entityIndex] > 0 else {
            throw CocoaError.storeSave(
                file.url,
                "the entity \(schema.model.entities[entityIndex].name) is not in the store's "
                    + "configuration"
            )
        }
        let binder = RowBinder(schema.model.entities[entityIndex], schema: schema)
        binders[entityIndex] = binder
        return binder
    }
}
