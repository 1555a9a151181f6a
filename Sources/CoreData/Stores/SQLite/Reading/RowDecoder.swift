import CSQLite
import Foundation

/// Makes rows of one concrete entity from the columns of a statement.
///
/// > Threading: Immutable; any thread.
final class RowDecoder: @unchecked Sendable {
    // @unchecked: all is set in `init`, and layouts are immutable.

    /// What one slot is read from.
    private struct Step {
        let form: StorageKind.Form
        /// The integers that the attribute holds.
        let lowest: Int64
        let highest: Int64
        let isExternal: Bool
        let isComposite: Bool
        /// Whether the value's bytes are not those of the column.
        let isConverted: Bool
        /// -1 for what has no column.
        let column: Int32
        /// The column of a to-one's destination entity, or -1.
        let entityColumn: Int32
        /// The entities that a to-one may lead to.
        let firstDestination: Int
        let lastDestination: Int
    }

    let layout: EntityLayout
    /// One for each slot; a buffer, so that the loop over them counts no references.
    private let steps: UnsafeMutableBufferPointer<Step>
    private let tailColumns: [Int32]
    private let convertedSlots: [Int]
    /// The columns of the elements of composites, by slot; -1 for those that the table lacks.
    private let elementColumns: [Int: [Int32]]
    /// The slots that triggers fill from other rows.
    private let followingSlots: [Int]
    private let members: [EntityLayout]
    private let file: StoreFile

    init(_ layout: EntityLayout, schema: StoreSchema, columnIndex: [String: Int32], file: StoreFile)
    {
        self.layout = layout
        self.file = file
        members = schema.members
        steps = .allocate(capacity: layout.slots.count)
        for slot in layout.slots {
            let names = schema.columns(layout, slot.index)
            let destination =
                slot.isRelationship
                ? schema.model.entities[slot.destinationIndex] : layout
            let integers = slot.kind.integerRange ?? Int64.min...Int64.max
            let isConverted = AttributeKinds.kind(of: slot.kind)?.convertsColumn ?? false
            steps.initializeElement(
                at: slot.index,
                to: Step(
                    form: slot.kind.form,
                    lowest: integers.lowerBound,
                    highest: integers.upperBound,
                    isExternal: slot.allowsExternalStorage,
                    isComposite: slot.composite != nil,
                    isConverted: isConverted || slot.allowsExternalStorage
                        || slot.composite != nil,
                    // Any column of a composite will do: that there is one says that the table has
                    // the attribute.
                    column: (names.value ?? names.elements.compactMap(\.self).first)
                        .flatMap { columnIndex[$0] } ?? -1,
                    entityColumn: names.destinationEntity.flatMap { columnIndex[$0] } ?? -1,
                    firstDestination: destination.index,
                    lastDestination: destination.lastDescendantIndex
                )
            )
        }
        elementColumns = Dictionary(
            uniqueKeysWithValues: layout.slots.filter { $0.composite != nil }.map { slot in
                let names = schema.columns(layout, slot.index).elements
                return (slot.index, names.map { $0.flatMap { columnIndex[$0] } ?? -1 })
            }
        )
        let steps = steps
        // Converted values are measured when they are made: their bytes are not those of the
        // column.
        tailColumns = steps.filter {
            ($0.form == .text || $0.form == .bytes) && !$0.isConverted && $0.column >= 0
        }
        .map(\.column)
        convertedSlots = steps.indices.filter { steps[$0].isConverted && steps[$0].column >= 0 }
        followingSlots = layout.slots.filter { $0.derivation?.isKeptByTriggers == true }
            .map(\.index).filter { steps[$0].column >= 0 }
    }

    /// Whether triggers fill some of the values from other rows.
    var followsOtherRows: Bool { !followingSlots.isEmpty }

    /// Whether a row has the statement's values of what follows from other rows: when those
    /// change, triggers set it without a new version of its own row.
    func isUpToDate(_ row: Row, _ statement: SQLiteStatement) throws -> Bool {
        try followingSlots.allSatisfy { slot in
            let step = steps[slot]
            let column = sqlite3_column_value(statement.handle, step.column)
            let type = sqlite3_value_type(column)
            if type == SQLITE_NULL || row.isNull(slot) {
                return row.isNull(slot) == (type == SQLITE_NULL)
            }
            if step.isConverted { return try convertedValue(statement, slot) == row.bytes(slot) }
            // A value of a wrong type is no row's: decoding it says so.
            switch step.form {
            case .integer:
                return type == SQLITE_INTEGER && sqlite3_value_int64(column) == row.integer(slot)
            case .boolean:
                return type == SQLITE_INTEGER
                    && (sqlite3_value_int64(column) != 0) == (row.integer(slot) != 0)
            case .real:
                return (type == SQLITE_FLOAT || type == SQLITE_INTEGER)
                    && sqlite3_value_double(column).bitPattern == row.word(slot)
            case .text: return statement.text(step.column) == row.text(slot)
            case .bytes: return statement.bytes(step.column) == row.bytes(slot)
            case .reference, .members, .volatile: return true
            }
        }
    }

    deinit { steps.deallocate() }

    /// Makes the row of the statement's current step.
    func row(
        _ statement: SQLiteStatement,
        _ values: ResultRow,
        _ primaryKey: Int64,
        _ version: Int32,
        in allocator: SlabAllocator?
    ) throws -> Row {
        // Measured first, for a row is one allocation and its tail can't grow.
        var tail = 0
        // It also turns text of another encoding into UTF-8, so that this is the size of what is
        // copied.
        for column in tailColumns { tail += Int(sqlite3_value_bytes(values[column])) }
        var converted: [Data?] = []
        if !convertedSlots.isEmpty {
            // Made before the row and kept until it is filled: a value in a file would else be read
            // twice.
            for slot in convertedSlots {
                let data = try convertedValue(statement, slot)
                tail += data?.count ?? 0
                converted.append(data)
            }
        }
        let row = Row.make(
            entityIndex: layout.index,
            slotCount: steps.count,
            primaryKey: primaryKey,
            version: version,
            tailByteCount: tail,
            in: allocator
        )
        try fill(row, values, converted)
        return row
    }

    private func fill(_ row: Row, _ values: ResultRow, _ converted: [Data?]) throws {
        let count = steps.count
        let nullWords = (count + 63) / 64
        var offset = 0
        var nextConverted = 0
        try row.withUnsafeMutablePointerToElements { elements in
            let words = elements + nullWords
            let tail = UnsafeMutableRawPointer(words + count)
            for slot in 0..<count {
                let step = steps[slot]
                // The row begins with all slots null, see `Row.make`; a value clears its bit at the
                // end.
                words[slot] = 0
                guard step.column >= 0 else { continue }
                // In the order of `convertedSlots`, which leaves out the same slots.
                if step.isConverted {
                    if let data = converted[nextConverted] {
                        data.copyBytes(
                            to: UnsafeMutableRawBufferPointer(
                                start: tail + offset,
                                count: data.count
                            )
                        )
                        words[slot] = UInt64(offset) << 32 | UInt64(data.count)
                        elements[slot >> 6] &= ~(1 << UInt64(slot & 63))
                        offset += data.count
                    }
                    nextConverted += 1
                    continue
                }
                let column = values[step.column]
                let type = sqlite3_value_type(column)
                if type == SQLITE_NULL { continue }
                switch step.form {
                case .integer:
                    // SQLite would convert any value without a word, mostly to 0.
                    guard type == SQLITE_INTEGER else { throw damaged(row, slot) }
                    let value = sqlite3_value_int64(column)
                    guard value >= step.lowest, value <= step.highest else {
                        throw damaged(row, slot)
                    }
                    words[slot] = UInt64(bitPattern: value)
                case .boolean:
                    guard type == SQLITE_INTEGER else { throw damaged(row, slot) }
                    words[slot] = sqlite3_value_int64(column) == 0 ? 0 : 1
                case .real:
                    // The column of a date has numeric affinity, by which SQLite keeps whole
                    // numbers as integers (sqlite.org/datatype3.html).
                    guard type == SQLITE_FLOAT || type == SQLITE_INTEGER else {
                        throw damaged(row, slot)
                    }
                    words[slot] = sqlite3_value_double(column).bitPattern
                case .text, .bytes:
                    guard type == SQLITE_TEXT || type == SQLITE_BLOB else {
                        throw damaged(row, slot)
                    }
                    let byteCount = Int(sqlite3_value_bytes(column))
                    if byteCount > 0 {
                        guard let start = sqlite3_value_blob(column) else { throw noMemory() }
                        (tail + offset).copyMemory(from: start, byteCount: byteCount)
                    }
                    words[slot] = UInt64(offset) << 32 | UInt64(byteCount)
                    offset += byteCount
                case .reference:
                    guard type == SQLITE_INTEGER else { throw damaged(row, slot) }
                    words[slot] = try reference(values, step, row, slot)
                case .members, .volatile:
                    continue
                }
                elements[slot >> 6] &= ~(1 << UInt64(slot & 63))
            }
        }
    }

    @inline(__always) private func reference(
        _ values: ResultRow,
        _ step: Step,
        _ row: Row,
        _ slot: Int
    ) throws -> UInt64 {
        let key = values.integer(step.column)
        // Negative keys are those of rows that only a context has, and larger ones would be cut
        // off.
        guard key >= 1, key <= RowReference.maximumPrimaryKey else { throw damaged(row, slot) }
        var entity = step.firstDestination
        if step.entityColumn >= 0, sqlite3_value_type(values[step.entityColumn]) != SQLITE_NULL {
            let number = values.integer(step.entityColumn)
            guard number >= 1, number <= members.count else { throw damaged(row, slot) }
            entity = members[Int(number) - 1].index
            guard entity >= step.firstDestination, entity <= step.lastDestination else {
                throw damaged(row, slot)
            }
        }
        return RowReference(entityIndex: entity, primaryKey: key).rawValue
    }

    /// The bytes of a value that a row keeps otherwise than its column, or that may be kept outside;
    /// nil if null.
    private func convertedValue(_ statement: SQLiteStatement, _ slot: Int) throws -> Data? {
        let step = steps[slot]
        if step.isComposite { return compositeValue(statement, slot) }
        if statement.isNull(step.column) { return nil }
        if step.isExternal {
            return try ExternalValue.decode(statement.bytes(step.column), file: file)
        }
        let kind = AttributeKinds.kind(of: layout.slots[slot].kind)
        // What is converted is kept as text: decimals are the only such kind.
        guard case .text(let text)? = kind?.stored(ofColumn: statement.columnValue(step.column))
        else {
            throw CocoaError.corruptFile(
                file.url,
                "\(layout.name).\(layout.slots[slot].name) is no value of its type in some row"
            )
        }
        return Data(text.utf8)
    }

    /// The elements of a composite; nil if all are null.
    private func compositeValue(_ statement: SQLiteStatement, _ slot: Int) -> Data? {
        guard let composite = layout.slots[slot].composite, let columns = elementColumns[slot]
        else {
            return nil
        }
        let values = zip(composite.elements, columns).map { element, column -> SlotValue in
            guard column >= 0, !statement.isNull(column) else { return .null }
            return statement.slotValue(element.kind, column)
        }
        return values.allSatisfy(\.isNull) ? nil : composite.bytes(values)
    }

    @inline(never) private func noMemory() -> SQLiteError {
        SQLiteError(nil, code: SQLITE_NOMEM)
    }

    @inline(never) private func damaged(_ row: Row, _ slot: Int) -> CocoaError {
        .corruptFile(
            file.url,
            "the row \(row.primaryKey) of \(layout.name) has a value of another type or range for "
                + "\(layout.slots[slot].name)"
        )
    }
}
