/// A value of a predicate that identifies a row and its store: an object, or its ID.
protocol StoredRowIdentifiable: RowIdentifiable {
    /// The store that the row is in, as the contexts of the value's level of nesting see it.
    var rowStore: NSPersistentStore? { get }
}

extension StoredRowIdentifiable {
    /// The row that the value identifies in a store; nil if its row is in another store.
    ///
    /// Identities are compared, and not the stores: nested contexts see a store through an object
    /// of their own, which has the identity of the store that it shows.
    func rowReference(in store: NSPersistentStore?) -> RowReference? {
        guard let store, let rowStore, rowStore.identity !== store.identity else {
            return rowReference
        }
        return nil
    }
}
