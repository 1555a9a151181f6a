import Foundation

/// Gives `NSSortDescriptor` the initializers that Foundation lacks here; see ``PredicateFormat``.
public protocol KeySorting {}

extension NSSortDescriptor: KeySorting {}

extension KeySorting where Self: NSSortDescriptor {
    /// Sorts by a key path; strings by Unicode scalars, nil before all values when ascending.
    public init(key: String?, ascending: Bool) {
        self = KeySortDescriptor.make(key, ascending, .binary, nil, as: Self.self)
    }

    /// Sorts by a key path and a block, in memory only: a SQLite fetch refuses it.
    public init(key: String?, ascending: Bool, comparator cmptr: @escaping Comparator) {
        self = KeySortDescriptor.make(key, ascending, .binary, cmptr, as: Self.self)
    }

    /// Sorts by a key path and a named comparison of strings.
    ///
    /// - Precondition: `selector` is `compare:`, `caseInsensitiveCompare:`, `localizedCompare:`,
    ///   `localizedCaseInsensitiveCompare:` or `localizedStandardCompare:`.
    public init(key: String?, ascending: Bool, selector: Selector?) {
        let name = selector?.description ?? "compare:"
        // Without Objective-C no method is called by its name, so only comparisons that are
        // implemented here can be meant.
        guard let order = SortOrderName(rawValue: name) else {
            fatalError("unsupported NSSortDescriptor selector: \(name)")
        }
        self = KeySortDescriptor.make(key, ascending, order, nil, as: Self.self)
    }

    /// Sorts by a Swift key path to a property of a generated class.
    ///
    /// - Precondition: The property's name is known: see the guide to generated classes.
    public init<Root, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
        let name = KeyPathNames.requiredName(of: keyPath)
        self = KeySortDescriptor.make(name, ascending, .binary, nil, as: Self.self)
    }

    /// The key path that is sorted by; nil for the object itself.
    public var key: String? {
        if let descriptor = self as? KeySortDescriptor { return descriptor.sortKey }
        return KeyPathNames.name(of: keyPath)
    }

    /// The comparison that is used; nil if it is a block.
    public var selector: Selector? {
        guard let descriptor = self as? KeySortDescriptor, descriptor.block == nil else {
            return nil
        }
        return Selector(descriptor.order.rawValue)
    }

    /// Reads a sort descriptor from an archive; nil, with the coder's error set, if it holds
    /// something else.
    public init?(coder: NSCoder) {
        let key = coder.decodeObject(of: NSString.self, forKey: SortArchive.key)
        let name = coder.decodeObject(of: NSString.self, forKey: SortArchive.selector)
        guard let name, let order = SortOrderName(rawValue: String(describing: name)) else {
            coder.failWithError(CocoaError(.coderReadCorrupt))
            return nil
        }
        self = KeySortDescriptor.make(
            key.map { String(describing: $0) },
            coder.decodeBool(forKey: SortArchive.ascending),
            order,
            nil,
            as: Self.self
        )
    }

    /// Does nothing: sort descriptors need no permission to be evaluated here.
    public func allowEvaluation() {}
}

extension KeySortDescriptor {
    /// - Precondition: `type` is `NSSortDescriptor`: subclasses of a client's have their own
    ///   initializers.
    static func make<Descriptor: NSSortDescriptor>(
        _ key: String?,
        _ ascending: Bool,
        _ order: SortOrderName,
        _ block: Comparator?,
        as type: Descriptor.Type
    ) -> Descriptor {
        let descriptor = KeySortDescriptor(
            key: key,
            ascending: ascending,
            order: order,
            block: block
        )
        guard let result = descriptor as? Descriptor else {
            fatalError("\(type) can't be made with NSSortDescriptor's initializers.")
        }
        return result
    }
}

extension NSSortDescriptor: @retroactive NSSecureCoding {
    /// True: an archive holds a key and the name of a comparison.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the sort descriptor to an archive.
    ///
    /// - Precondition: It sorts by a key and a named comparison, not by a block.
    public func encode(with coder: NSCoder) {
        let own = self as? KeySortDescriptor
        // A descriptor of Foundation's without a key may have a comparator, which it does not show.
        guard own == nil ? key != nil : own?.block == nil else {
            fatalError("Can't encode a sort descriptor with a block: \(self)")
        }
        coder.encode(key as NSString?, forKey: SortArchive.key)
        coder.encode(ascending, forKey: SortArchive.ascending)
        coder.encode((own?.order ?? .binary).rawValue as NSString, forKey: SortArchive.selector)
    }
}

private enum SortArchive {
    static let key = "NSKey"
    static let ascending = "NSAscending"
    static let selector = "NSSelector"
}
