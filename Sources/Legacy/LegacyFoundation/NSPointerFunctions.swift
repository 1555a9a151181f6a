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

/// An object in a table.
struct TableSlot {
    private var strong: AnyObject?
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
    private let hash: Int
    private let isIdentity: Bool
    let slot: TableSlot
    private let identifier: ObjectIdentifier

    init(_ object: AnyObject, _ options: NSPointerFunctions.Options) {
        isIdentity = options.contains(.objectPointerPersonality) || !(object is NSObject)
        slot = TableSlot(object, options)
        identifier = ObjectIdentifier(object)
        hash = isIdentity ? identifier.hashValue : (object as? NSObject)?.hash ?? 0
    }

    func hash(into hasher: inout Hasher) { hasher.combine(hash) }

    static func == (first: TableKey, second: TableKey) -> Bool {
        guard first.hash == second.hash, let one = first.slot.object, let other = second.slot.object
        else {
            // An entry whose object has gone is found by nothing but itself.
            return first.slot.object == nil && second.slot.object == nil
                && first.identifier == second.identifier
        }
        if one === other { return true }
        guard !first.isIdentity, let object = one as? NSObject else { return false }
        return object.isEqual(other)
    }
}
