import Foundation

/// A place in the history of one or several stores: after one transaction of each.
///
/// Archive it with `NSKeyedArchiver`, to go on from there the next time.
///
/// > Threading: Immutable; any thread.
open class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // @unchecked: immutable.

    /// The number of the last transaction, by the store's UUID.
    let transactionNumbers: [String: Int64]

    private static let codingKey = "NSPersistentHistoryTokenStores"

    init(_ transactionNumbers: [String: Int64]) {
        self.transactionNumbers = transactionNumbers
        super.init()
    }

    /// Makes a token from before all history.
    override public init() {
        transactionNumbers = [:]
        super.init()
    }

    /// `true`.
    public static var supportsSecureCoding: Bool { true }

    /// Reads a token from an archive; nil if it is none.
    public required init?(coder: NSCoder) {
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.codingKey) else {
            return nil
        }
        do {
            let bytes = Data(referencing: data)
            transactionNumbers = try JSONDecoder().decode([String: Int64].self, from: bytes)
        } catch {
            return nil
        }
        super.init()
    }

    /// Writes the token to an archive.
    open func encode(with coder: NSCoder) {
        let encoder = JSONEncoder()
        // Equal tokens have equal archives.
        encoder.outputFormatting = .sortedKeys
        do {
            let data = try encoder.encode(transactionNumbers)
            coder.encode(data as NSData, forKey: Self.codingKey)
        } catch {
            fatalError("Strings and integers can be encoded.")
        }
    }

    /// The token itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether two tokens are at the same transaction in each store.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.transactionNumbers == transactionNumbers
    }
    open override var hash: Int { transactionNumbers.hashValue }
    open override var description: String {
        let places = transactionNumbers.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "<NSPersistentHistoryToken - {\(places.joined(separator: ", "))}>"
    }
}

/// `token > %@` in predicates of history requests.
extension NSPersistentHistoryToken: QueryOrdered {
    /// The order in the stores that the token of a transaction, or else both tokens, know: what a
    /// token does not know of a store's history comes after it.
    func order(comparedWith other: Any) -> Int? {
        guard let other = other as? NSPersistentHistoryToken else { return nil }
        let own = transactionNumbers, others = other.transactionNumbers
        var stores = Set(own.keys)
        if own.count > 1 {
            stores = others.count == 1 ? Set(others.keys) : stores.union(others.keys)
        }
        // Compared and not subtracted: an archive may have any numbers.
        let signs = Set(
            stores.compactMap { store -> Int? in
                let (number, theirs) = (own[store] ?? 0, others[store] ?? 0)
                return number == theirs ? nil : number < theirs ? -1 : 1
            }
        )
        // Ahead in one store and behind in another: neither token comes before the other.
        return signs.count > 1 ? nil : signs.first ?? 0
    }
}
