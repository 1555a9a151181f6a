import Foundation

/// A value of a kind whose values compare with each other only, in the order of their storage form.
struct QueryScalar {
    let kind: StorageKind
    /// Neither null nor a box.
    let value: SlotValue

    /// The value as key-value access gives it.
    var anyValue: Any? { kind.anyValue(value) }

    /// The value as a text that the kind reads back.
    var text: String? { AttributeKinds.kind(of: kind)?.text(value) }

    /// Negative, 0 or positive; nil if the values don't compare.
    func order(comparedWith other: QueryScalar) -> Int? {
        guard kind == other.kind else { return nil }
        switch (value, other.value) {
        case (.integer(let left), .integer(let right)):
            return left < right ? -1 : left == right ? 0 : 1
        case (.real(let left), .real(let right)):
            return left < right ? -1 : left == right ? 0 : left > right ? 1 : nil
        case (.text(let left), .text(let right)):
            return Self.order(left.utf8, right.utf8)
        case (.bytes(let left), .bytes(let right)):
            return left == right ? 0 : Self.order(left, right)
        default: return nil
        }
    }

    /// As SQLite has it.
    private static func order<Bytes: Sequence<UInt8>>(_ left: Bytes, _ right: Bytes) -> Int {
        if left.lexicographicallyPrecedes(right) { return -1 }
        return right.lexicographicallyPrecedes(left) ? 1 : 0
    }
}

extension QueryScalar: Hashable {
    static func == (left: QueryScalar, right: QueryScalar) -> Bool {
        left.kind == right.kind && left.value.isSame(as: right.value)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        switch value {
        case .integer(let integer): hasher.combine(integer)
        case .real(let real): hasher.combine(real)
        case .text(let text): for byte in text.utf8 { hasher.combine(byte) }
        case .bytes(let data): hasher.combine(data)
        case .null, .reference, .box: break
        }
    }
}
