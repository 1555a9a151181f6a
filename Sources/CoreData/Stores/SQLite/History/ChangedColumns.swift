import Foundation

/// The bit set by which the history tells the changed properties of an update.
///
/// The properties of the entity, inherited ones included, are counted by ascending name; the first
/// is the highest bit of the first byte.
enum ChangedColumns {
    static func encode(_ changed: Set<String>, _ layout: EntityLayout) -> Data {
        let names = layout.namesInHistory
        var bits = Data(count: (names.count + 7) / 8)
        for (index, name) in names.enumerated() where changed.contains(name) {
            bits[index / 8] |= 0x80 >> UInt8(index % 8)
        }
        return bits
    }

    /// The names; those beyond what the entity has by now are left out.
    static func decode(_ bits: Data, _ layout: EntityLayout) -> Set<String> {
        let bytes = Array(bits)
        var names: Set<String> = []
        for (index, name) in layout.namesInHistory.enumerated() where index / 8 < bytes.count {
            if bytes[index / 8] & (0x80 >> UInt8(index % 8)) != 0 { names.insert(name) }
        }
        return names
    }
}

extension EntityLayout {
    fileprivate var namesInHistory: [String] {
        // By bytes and not by Swift's order: the order is part of the file's format.
        slots.map(\.name).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }
}
