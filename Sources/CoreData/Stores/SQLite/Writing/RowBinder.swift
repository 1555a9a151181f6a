import CSQLite
import Foundation

/// Binds the values of rows of one entity to the columns of its table, in place.
///
/// > Threading: Immutable; any thread.
final class RowBinder: @unchecked Sendable {
    // @unchecked: values over immutable layouts.

    /// Without references, which each row would count.
    private struct Step: BitwiseCopyable {
        let slot: Int
        let form: StorageKind.Form
        let hasEntityColumn: Bool
        let isExternal: Bool
        var isComposite = false
    }

    let layout: EntityLayout
    let tableName: String
    private let numbers: [Int]
    private let steps: ContiguousArray<Step>
    private let columns: [SlotColumns]
    private let composites: [Int: CompositeLayout]
    /// The slots whose values may be kept in files of their own.
    let externalSlots: [Int]
    let insertSQL: String
    let deleteSQL: String

    init(_ layout: EntityLayout, schema: StoreSchema) {
        self.layout = layout
        numbers = schema.numbers
        columns = schema.slotColumns[layout.index]
        tableName = schema.entityTable(rootIndex: layout.rootIndex)?.name ?? ""
        let columns = columns
        composites = Dictionary(
            uniqueKeysWithValues: layout.slots.compactMap { slot in
                slot.composite.map { (slot.index, $0) }
            }
        )
        steps = ContiguousArray(
            layout.slots.filter { !columns[$0.index].contents.isEmpty }.map { slot in
                Step(
                    slot: slot.index,
                    form: slot.kind.form,
                    hasEntityColumn: columns[slot.index].destinationEntity != nil,
                    isExternal: slot.allowsExternalStorage,
                    isComposite: slot.composite != nil
                )
            }
        )
        externalSlots = steps.filter(\.isExternal).map(\.slot)
        // Values are bound by their place alone: `bindInsert` goes over the same steps in the same
        // order.
        let names =
            ["Z_PK", "Z_ENT", "Z_OPT"]
            + steps.flatMap { columns[$0.slot].contents }
        // Rows that were not written by a framework may have no version, which counts as 0.
        deleteSQL =
            "DELETE FROM \(SQLName.quoted(tableName)) WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?"
        insertSQL =
            "INSERT INTO \(SQLName.quoted(tableName)) ("
            + names.map(SQLName.quoted).joined(separator: ", ") + ") VALUES ("
            + names.map { _ in "?" }.joined(separator: ", ") + ")"
    }

    /// The statement that writes the changed slots of a row that is still at a version.
    func updateSQL(_ changed: SlotSet) -> String {
        var assignments = ["Z_OPT = ?"]
        for step in steps where changed.contains(step.slot) {
            for name in columns[step.slot].contents {
                assignments.append("\(SQLName.quoted(name)) = ?")
            }
            // The place was one in the old owner's collection; the new one's follows by itself.
            if let order = columns[step.slot].order {
                assignments.append("\(SQLName.quoted(order)) = NULL")
            }
        }
        return "UPDATE \(SQLName.quoted(tableName)) SET \(assignments.joined(separator: ", ")) "
            + "WHERE Z_PK = ? AND IFNULL(Z_OPT, 0) = ?"
    }

    /// Binds a whole row to `insertSQL`. The row must live until the statement has run.
    ///
    /// - Parameter external: The content of columns, by slot, that is not the row's own.
    @inline(__always) func bindInsert(
        _ row: Row,
        external: [Int: Data],
        _ statement: SQLiteStatement
    ) {
        statement.bind(1, row.primaryKey)
        statement.bind(2, Int64(numbers[layout.index]))
        statement.bind(3, Int64(row.version))
        var index: Int32 = 4
        for step in steps { bind(row, step, external, statement, &index) }
    }

    /// Binds a row to `updateSQL`. The row must live until the statement has run.
    func bindUpdate(
        _ row: Row,
        changed: SlotSet,
        oldVersion: Int32,
        external: [Int: Data],
        _ statement: SQLiteStatement
    ) {
        statement.bind(1, Int64(row.version))
        var index: Int32 = 2
        for step in steps where changed.contains(step.slot) {
            bind(row, step, external, statement, &index)
        }
        statement.bind(index, row.primaryKey)
        statement.bind(index + 1, Int64(oldVersion))
    }

    /// Binds the values of some slots, as a query for rows with the same values needs them.
    func bindValues(_ row: Row, slots: [Int], _ statement: SQLiteStatement) {
        var index: Int32 = 1
        for slot in slots {
            if let step = steps.first(where: { $0.slot == slot }) {
                // Without the entity's column: the query compares the keys alone, and has no
                // parameter for it.
                let plain = Step(
                    slot: slot,
                    form: step.form,
                    hasEntityColumn: false,
                    isExternal: step.isExternal
                )
                bind(row, plain, [:], statement, &index)
            }
        }
    }

    @inline(__always) private func bind(
        _ row: Row,
        _ step: Step,
        _ external: [Int: Data],
        _ statement: SQLiteStatement,
        _ index: inout Int32
    ) {
        // Before the look for null: each of a composite's columns gets a NULL of its own.
        if step.isComposite {
            bindComposite(row, step.slot, statement, &index)
            return
        }
        if row.isNull(step.slot) {
            statement.bindNull(index)
            index += 1
            if step.hasEntityColumn {
                statement.bindNull(index)
                index += 1
            }
            return
        }
        switch step.form {
        case .integer, .boolean: statement.bind(index, row.integer(step.slot))
        case .real: statement.bind(index, row.real(step.slot))
        case .text:
            let place = index
            row.withTail(step.slot) { statement.bindText(inPlace: $0, place) }
        case .bytes:
            let place = index
            if step.isExternal {
                let content = external[step.slot]
                row.withTail(step.slot) {
                    statement.bind(place, content ?? ExternalValue.encode($0))
                }
            } else {
                // The address is inside of the row even for empty data; none would bind NULL.
                row.withTail(step.slot) { statement.bindBytes(inPlace: $0, place) }
            }
        case .reference:
            let reference = RowReference(rawValue: row.word(step.slot))
            statement.bind(index, reference.primaryKey)
            if step.hasEntityColumn {
                index += 1
                statement.bind(index, Int64(numbers[reference.entityIndex]))
            }
        case .members, .volatile: break
        }
        index += 1
    }

    @inline(never) private func bindComposite(
        _ row: Row,
        _ slot: Int,
        _ statement: SQLiteStatement,
        _ index: inout Int32
    ) {
        guard let composite = composites[slot] else { return }
        let values = composite.values(row.bytes(slot))
        // An element whose column the table lacks has no parameter.
        for (value, column) in zip(values, columns[slot].elements) where column != nil {
            switch value {
            case .integer(let integer): statement.bind(index, integer)
            case .real(let real): statement.bind(index, real)
            case .text(let text): statement.bind(index, text)
            case .bytes(let data): statement.bind(index, data)
            case .null, .reference, .box: statement.bindNull(index)
            }
            index += 1
        }
    }
}
