extension Row {
    /// Makes a row of values, one for each slot of `layout`; boxes count as null.
    static func make(
        layout: EntityLayout,
        primaryKey: Int64,
        version: Int32,
        values: [SlotValue]
    ) -> Row {
        values.withUnsafeBufferPointer {
            make(layout: layout, primaryKey: primaryKey, version: version, values: $0)
        }
    }

    /// Makes a row of values, one for each slot of `layout`; boxes count as null.
    static func make(
        layout: EntityLayout,
        primaryKey: Int64,
        version: Int32,
        values: UnsafeBufferPointer<SlotValue>,
        in allocator: SlabAllocator? = nil
    ) -> Row {
        // A row is one allocation with its texts and bytes behind the slots, so that their size has
        // to be known first.
        let count = layout.slots.count
        var tail = 0
        for slot in 0..<count {
            switch values[slot] {
            case .text(let text): tail += text.utf8.count
            case .bytes(let data): tail += data.count
            default: break
            }
        }
        let row = make(
            entityIndex: layout.index,
            slotCount: count,
            primaryKey: primaryKey,
            version: version,
            tailByteCount: tail,
            in: allocator
        )
        var offset = 0
        for slot in 0..<count {
            switch values[slot] {
            case .null, .box: row.fillNull(slot)
            case .integer(let value): row.fill(slot, word: UInt64(bitPattern: value))
            case .real(let value): row.fill(slot, word: value.bitPattern)
            case .text(var text):
                text.withUTF8 { row.fill(slot, tail: UnsafeRawBufferPointer($0), at: &offset) }
            case .bytes(let data):
                data.withUnsafeBytes { row.fill(slot, tail: $0, at: &offset) }
            case .reference(let reference): row.fill(slot, word: reference.rawValue)
            }
        }
        return row
    }
}
