import Foundation

/// The value of one slot outside a packed row: what an object changed, what a statement binds.
///
/// Which case a property uses follows from its `StorageKind`.
enum SlotValue {
    case null
    /// Integers and Booleans.
    case integer(Int64)
    /// Doubles, floats, and dates as seconds since the reference date.
    case real(Double)
    /// Strings, URIs and decimals.
    case text(String)
    /// Binary data, UUIDs and archived transformable values.
    case bytes(Data)
    /// A to-one relationship as a row keeps it.
    case reference(RowReference)
    /// What only objects know: a managed object, a to-many collection, a transformed value.
    /// Never in a row.
    case box(AnyObject)

    /// What is in a box, if it is one.
    var boxed: Any? {
        guard case .box(let content) = self else { return nil }
        return (content as? ValueBox)?.value ?? content
    }

    /// Whether it holds no reference that would have to be counted.
    @inline(__always) var isPlain: Bool {
        switch self {
        case .null, .integer, .real, .reference: true
        case .text, .bytes, .box: false
        }
    }

    var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

extension SlotValue {
    /// Whether two values of one attribute are the same when stored.
    func isSame(as other: SlotValue) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        // NaN is not equal to itself, and would be a change each time that it is set.
        case (.real(let left), .real(let right)): left == right || (left.isNaN && right.isNaN)
        case (.text(let left), .text(let right)):
            // Canonically equivalent strings are equal in Swift, but not the same bytes.
            left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
        case (.bytes(let left), .bytes(let right)): left == right
        case (.reference(let left), .reference(let right)): left == right
        default: false
        }
    }
}

/// The row that a to-one relationship points to: entity and primary key in one word.
struct RowReference: Hashable, Sendable {
    /// The entity's index in the model layout (16 bits) above the primary key (48 bits).
    let rawValue: UInt64

    /// The highest primary key that a reference can hold. Negative keys are those of rows that only
    /// a context has, and no store.
    static let maximumPrimaryKey: Int64 = (1 << 47) - 1

    @inline(__always) init(rawValue: UInt64) { self.rawValue = rawValue }

    /// - Precondition: `primaryKey` is not 0 and at most `maximumPrimaryKey` from it; readers check
    ///   what comes from a file before they get here.
    @inline(__always) init(entityIndex: Int, primaryKey: Int64) {
        rawValue =
            UInt64(truncatingIfNeeded: entityIndex) << 48
            // Cut off, or a negative key's sign would run into the entity.
            | UInt64(bitPattern: primaryKey) & 0xffff_ffff_ffff
    }

    /// The index of the row's concrete entity in `ModelLayout.entities`.
    @inline(__always) var entityIndex: Int { Int(rawValue >> 48) }
    // The shift back is arithmetic, and restores the sign of keys that only a context has.
    @inline(__always) var primaryKey: Int64 { Int64(bitPattern: rawValue << 16) >> 16 }
}
