extension StoreClasses {
    /// The kinds of stores that are there without being registered.
    static var builtIn: [String: any RowStore.Type] {
        [
            NSSQLiteStoreType: SQLiteStore.self,
            NSInMemoryStoreType: InMemoryStore.self,
            NSBinaryStoreType: BinaryStore.self,
            NSXMLStoreType: XMLStore.self,
        ]
    }
}
