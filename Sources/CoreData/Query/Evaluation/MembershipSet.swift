import Foundation

/// The constants of an `IN`, hashed by kind.
struct MembershipSet {
    private var hasNull = false
    private var numbers: Set<QueryNumber> = []
    /// Integers, which text is compared with by their digits.
    private var integers: Set<Int64> = []
    /// By the strings' own equality, which is coarser than that of bytes.
    private var texts: [String: [String]] = [:]
    private var bytes: Set<Data> = []
    private var scalars: Set<QueryScalar> = []
    private var identities: Set<AnyHashable> = []
    /// What can't be hashed.
    private var others: [QueryValue] = []
    private let options: TextOrder.Options

    init(_ constants: [QueryValue], _ options: TextOrder.Options) {
        self.options = options
        for constant in constants { insert(constant) }
    }

    private mutating func insert(_ constant: QueryValue) {
        switch constant {
        case .null: hasNull = true
        case .text(let text):
            insert(text: text)
            // Text that is a number equals such numbers, see `QueryComparison.coerced`.
            if let number = QueryComparison.number(text).flatMap(QueryNumber.init) {
                numbers.insert(number)
            }
        case .url(let url): insert(text: url.absoluteString)
        case .integer(let integer):
            numbers.insert(.integer(integer))
            integers.insert(integer)
        case .real, .decimal, .date:
            if let number = QueryNumber(constant) { numbers.insert(number) }
        case .bytes(let data): bytes.insert(data)
        case .scalar(let scalar): scalars.insert(scalar)
        case .object, .other:
            for identity in RowIdentity.all(of: constant) { identities.insert(identity) }
        case .collection: others.append(constant)
        }
    }

    private mutating func insert(text: String) {
        let folded = TextOrder.folded(text, options)
        texts[folded, default: []].append(folded)
    }

    func contains(_ value: QueryValue) -> Bool {
        switch value {
        case .null: return hasNull
        case .text(let text): return contains(text: text)
        case .url(let url): return contains(text: url.absoluteString)
        case .integer, .real, .decimal, .date:
            // In the one form that equal numbers of all types have, or 1 would not be found among
            // 1.0.
            return QueryNumber(value).map { numbers.contains($0) } ?? false
        case .bytes(let data): return bytes.contains(data)
        case .scalar(let scalar): return scalars.contains(scalar)
        case .object, .other:
            return QueryComparison.identity(value).map { identities.contains($0) } ?? false
        case .collection:
            return others.contains { QueryComparison.isEqual($0, value, options) }
        }
    }

    private func contains(text: String) -> Bool {
        // Only as digits are written: "07" is not the text of 7.
        if !integers.isEmpty, let integer = Int64(text), String(integer) == text,
            integers.contains(integer)
        {
            return true
        }
        let folded = TextOrder.folded(text, options)
        guard let candidates = texts[folded] else { return false }
        return candidates.contains { TextOrder.bytesAreEqual($0, folded) }
    }
}

/// What a constant that identifies a row may be known by: an object by its own identity, by its
/// ID, or by the reference of its row.
enum RowIdentity {
    static func all(of constant: QueryValue) -> [AnyHashable] {
        let subject: Any
        switch constant {
        case .object(let source): subject = source
        case .other(let value): subject = value
        default: return []
        }
        var identities: [AnyHashable] = []
        if let identity = QueryComparison.identity(constant) { identities.append(identity) }
        if let row = subject as? any RowIdentifiable, let reference = row.rowReference {
            identities.append(AnyHashable(reference))
        }
        return identities
    }
}
