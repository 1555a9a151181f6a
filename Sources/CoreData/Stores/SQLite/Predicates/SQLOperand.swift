import Foundation

/// What kind of value a piece of SQL has; decides what it compares with.
enum SQLType: Equatable {
    /// Whole numbers and Booleans.
    case integer
    /// Doubles, floats, decimals and dates; the column may hold a whole one as an integer.
    case real
    /// A number of either type.
    case number
    /// Strings and URIs.
    case text
    case bytes
    /// Values of a kind that compare with each other only, such as UUIDs.
    case scalar(StorageKind)
    /// The primary key of a row of the root entity's table.
    case reference(rootIndex: Int)
    /// The number of a row's entity.
    case entity
    /// Blobs that SQL can't look into: transformable values and data that may be in a file.
    case opaque

    var isNumeric: Bool { self == .integer || self == .real || self == .number }

    /// Whether values of the types compare.
    func compares(with other: SQLType) -> Bool {
        // SQLite compares integers and reals by value, so that the kinds of numbers need no
        // conversion.
        if isNumeric { return other.isNumeric }
        return self == other && self != .opaque
    }

    /// The type of an element of a composite attribute.
    init(_ kind: StorageKind) {
        switch AttributeKinds.kind(of: kind)?.comparison {
        case .integers: self = .integer
        case .reals: self = .real
        case .texts: self = .text
        case .bytes: self = .bytes
        case .ownKind: self = .scalar(kind)
        case .nothing, nil: self = .opaque
        }
    }

    init(_ slot: PropertySlot, rootIndex: Int) {
        switch slot.kind {
        case .toOne: self = .reference(rootIndex: rootIndex)
        // The column may hold the name of a file instead of the bytes.
        case _ where slot.allowsExternalStorage: self = .opaque
        default: self.init(slot.kind)
        }
    }
}

/// One side of a comparison.
enum SQLOperand {
    case constant(QueryValue)
    case sql(SQLFragment, SQLType)
}

extension QueryValue {
    /// The constant as a binding for comparison with a type; nil if they don't compare.
    func binding(for type: SQLType) -> SQLBinding? {
        switch type {
        case .integer, .real, .number:
            let number: QueryValue?
            if case .text(let text) = self {
                number = QueryComparison.number(text)
            } else {
                number = self
            }
            switch number.flatMap(QueryNumber.init) {
            case .integer(let integer): return .integer(integer)
            case .real(let real): return .real(real)
            case nil: return nil
            }
        case .text:
            switch self {
            case .text(let text): return .text(text)
            case .url(let url): return .text(url.absoluteString)
            // The evaluator compares a text with a whole number by its digits.
            case .integer(let integer): return .text(String(integer))
            default: return nil
            }
        case .bytes:
            guard case .bytes(let data) = self else { return nil }
            return .blob(data)
        case .scalar(let kind):
            // The bytes of another kind could happen to be equal without meaning the same.
            guard case .scalar(let scalar) = self, scalar.kind == kind else { return nil }
            return scalar.binding
        case .reference, .entity, .opaque: return nil
        }
    }

    /// The constant as it is.
    var plainOperand: (binding: SQLBinding, type: SQLType)? {
        switch self {
        case .null: (.null, .number)
        case .integer(let integer): (.integer(integer), .integer)
        case .real(let real), .date(let real): (.real(real), .real)
        case .decimal: binding(for: .real).map { ($0, .real) }
        case .text(let text): (.text(text), .text)
        case .url(let url): (.text(url.absoluteString), .text)
        case .bytes(let data): (.blob(data), .bytes)
        case .scalar(let scalar): (scalar.binding, .scalar(scalar.kind))
        case .object, .collection, .other: nil
        }
    }
}

extension QueryScalar {
    fileprivate var binding: SQLBinding {
        switch value {
        case .integer(let integer): .integer(integer)
        case .real(let real): .real(real)
        case .text(let text): .text(text)
        case .bytes(let data): .blob(data)
        case .null, .reference, .box: .null
        }
    }
}
