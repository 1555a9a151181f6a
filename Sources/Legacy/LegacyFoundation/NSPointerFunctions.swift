import Foundation

/// How tables hold and compare their objects.
public enum NSPointerFunctions {
    /// The choices; the default is to hold objects strongly and compare them with `isEqual(_:)`.
    public struct Options: OptionSet, Sendable {
        /// The bits, as Apple numbers them.
        public let rawValue: UInt
        /// Makes options of bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// Objects are kept.
        public static let strongMemory: Options = []
        /// Objects are not kept; entries whose object has gone count no more.
        public static let weakMemory = Options(rawValue: 5)
        /// Objects are compared with `isEqual(_:)`.
        public static let objectPersonality: Options = []
        /// Objects are compared by identity.
        public static let objectPointerPersonality = Options(rawValue: 2 << 8)
        /// Objects are copied when they are put in.
        public static let copyIn = Options(rawValue: 1 << 16)
    }
}

/// When a table drops the entries of objects that have ended: each time it has doubled, for nobody
/// tells when an object ends. So an addition costs a constant share of the sweeps.
struct TableSweeps {
    private var next = 64

    func isDue(at count: Int) -> Bool { count >= next }

    /// - Parameter count: How many entries a sweep has left.
    mutating func left(_ count: Int) { next = max(64, count * 2) }
}

/// An object in a table.
final class TableSlot {
    private let strong: AnyObject?
    private weak var weak: AnyObject?

    init(_ object: AnyObject, _ options: NSPointerFunctions.Options) {
        let copy = options.contains(.copyIn) ? (object as? any NSCopying)?.copy() : nil
        let value = copy.map { $0 as AnyObject } ?? object
        weak = value
        strong = options.contains(.weakMemory) ? nil : value
    }

    var object: AnyObject? { strong ?? weak }
}

/// What a table finds an object by; the same for as long as the object lives.
struct TableKey: Hashable {
    // Kept, since a dictionary asks for it again when it grows, and a weak object may have ended by
    // then.
    private let hash: Int
    private let isIdentity: Bool
    let slot: TableSlot

    init(_ object: AnyObject, _ options: NSPointerFunctions.Options) {
        // Objects of other classes have no `isEqual(_:)` that could be asked.
        isIdentity = options.contains(.objectPointerPersonality) || !(object is NSObject)
        slot = TableSlot(object, options)
        // Of the object that was passed: its copy is equal to it, and so has the same hash.
        hash = isIdentity ? ObjectIdentifier(object).hashValue : (object as? NSObject)?.hash ?? 0
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    static func == (first: TableKey, second: TableKey) -> Bool {
        guard first.hash == second.hash, let one = first.slot.object, let other = second.slot.object
        else {
            // An entry whose object has gone is found by nothing but itself. The object's address
            // would not do: several that have gone may have had it.
            return first.slot === second.slot
        }
        if one === other { return true }
        guard !first.isIdentity, let object = one as? NSObject else { return false }
        return object.isEqual(other)
    }
}
