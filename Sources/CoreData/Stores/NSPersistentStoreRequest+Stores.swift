extension NSPersistentStore: RequestTarget {}

extension NSPersistentStoreRequest {
    /// The stores that the request goes to; nil for all.
    public var affectedStores: [NSPersistentStore]? {
        get { targets?.compactMap { $0 as? NSPersistentStore } }
        set { targets = newValue }
    }
}
