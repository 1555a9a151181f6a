import Foundation

extension KeySorting where Self: NSSortDescriptor {
    /// Sorts as a sort descriptor of Swift's does: by the name of its key path's property.
    ///
    /// One that has no key path, or one whose property has no known name, sorts in memory only, by
    /// a block.
    public init<Compared>(_ sortDescriptor: SortDescriptor<Compared>) where Compared: NSObject {
        let ascending = sortDescriptor.order == .forward
        guard let keyPath = sortDescriptor.reflectedKeyPath,
            let name = KeyPathNames.name(of: keyPath)
        else {
            // The descriptor that is made has the direction; it must not be reversed twice.
            var forward = sortDescriptor
            forward.order = .forward
            let comparison = forward
            self = KeySortDescriptor.make(
                nil,
                ascending,
                .binary,
                { left, right in
                    guard let left = left as? Compared, let right = right as? Compared else {
                        return .orderedSame
                    }
                    return comparison.compare(left, right)
                },
                as: Self.self
            )
            return
        }
        self = KeySortDescriptor.make(name, ascending, .binary, nil, as: Self.self)
    }
}

extension SortDescriptor {
    /// The key path, which Foundation keeps to itself on Linux; nil if there is none.
    fileprivate var reflectedKeyPath: AnyKeyPath? {
        // The fields of swift-foundation's type. Where they are called otherwise, no key path is
        // found and the descriptor sorts by a block.
        let fields = Mirror(reflecting: self).children
        let comparison = fields.first { $0.label == "comparison" }?.value
        let payload = comparison.flatMap { Mirror(reflecting: $0).children.first?.value }
        let parts = payload.map { Mirror(reflecting: $0).children.map(\.value) } ?? []
        return parts.lazy.compactMap { $0 as? AnyKeyPath }.first
    }
}
