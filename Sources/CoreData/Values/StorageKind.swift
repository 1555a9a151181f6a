/// How the value of one property is kept in a row.
///
/// The kinds of attributes are those of the table `AttributeKinds`; the named ones here are kinds
/// that code with a fast path of its own asks for.
struct StorageKind: Sendable {
    /// The forms that a value has in a row: a closed set, which inner loops switch over.
    enum Form: UInt8 {
        /// A 64-bit integer.
        case integer
        /// 0 or 1.
        case boolean
        /// A 64-bit floating-point number.
        case real
        /// UTF-8, in the row's tail.
        case text
        /// Bytes in the row's tail.
        case bytes
        /// A `RowReference`.
        case reference
        /// Not in the row: the other side of a to-many relationship or a join table holds it.
        case members
        /// In memory only: transient attributes and relationships, undefined attributes, fetched
        /// properties.
        case volatile
    }

    /// What the files of binary stores call the kind: a number is never used again for another one,
    /// and those up to 15 are taken.
    let rawValue: UInt8
    let form: Form

    /// Whether a row has a value for the property.
    var isInRow: Bool { form.rawValue < Form.members.rawValue }
    /// Whether the value lives in the row's tail, after the slots.
    var isInTail: Bool { form == .text || form == .bytes }
}

extension StorageKind: Hashable {
    // By the number alone, for loops over slots compare kinds.
    @inline(__always) static func == (left: StorageKind, right: StorageKind) -> Bool {
        left.rawValue == right.rawValue
    }

    func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

extension StorageKind {
    static var integer16: StorageKind { StorageKind(rawValue: 0, form: .integer) }
    static var integer32: StorageKind { StorageKind(rawValue: 1, form: .integer) }
    static var integer64: StorageKind { StorageKind(rawValue: 2, form: .integer) }
    static var boolean: StorageKind { StorageKind(rawValue: 3, form: .boolean) }
    static var double: StorageKind { StorageKind(rawValue: 4, form: .real) }
    static var float: StorageKind { StorageKind(rawValue: 5, form: .real) }
    /// Seconds since 2001-01-01 00:00:00 UTC.
    static var date: StorageKind { StorageKind(rawValue: 6, form: .real) }
    static var string: StorageKind { StorageKind(rawValue: 7, form: .text) }
    /// The bytes that the value transformer made; those of a `CompositeLayout`.
    static var transformable: StorageKind { StorageKind(rawValue: 12, form: .bytes) }
    static var toOne: StorageKind { StorageKind(rawValue: 13, form: .reference) }
    static var toMany: StorageKind { StorageKind(rawValue: 14, form: .members) }
    static var volatile: StorageKind { StorageKind(rawValue: 15, form: .volatile) }

    /// The kind of a number in a file; nil if there is none that rows have.
    init?(rawValue: UInt8) {
        let known = [StorageKind.toOne] + AttributeKinds.all.map { $0.storage }
        guard let kind = known.first(where: { $0.rawValue == rawValue }), kind.isInRow else {
            return nil
        }
        self = kind
    }
}

extension StorageKind: CustomStringConvertible {
    var description: String {
        switch form {
        case .reference: "to-one relationship"
        case .members: "to-many relationship"
        default: AttributeKinds.kind(of: self)?.sourceName ?? "\(rawValue)"
        }
    }
}
