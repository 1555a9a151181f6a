/// What can stand for a row in a predicate and knows the row's store: objects and their IDs.
protocol StoredRowIdentifiable: RowIdentifiable {
    /// The store that the row is in, as the level of contexts shows it that the row is known to.
    var rowStore: NSPersistentStore? { get }
}

extension StoredRowIdentifiable {
    /// The row it stands for in a store; nil if that is in another one.
    ///
    /// Contexts that stand on others see a store by way of those; it is the same store all the same.
    func rowReference(in store: NSPersistentStore?) -> RowReference? {
        guard let store, let rowStore, rowStore.identity !== store.identity else {
            return rowReference
        }
        return nil
    }
}
