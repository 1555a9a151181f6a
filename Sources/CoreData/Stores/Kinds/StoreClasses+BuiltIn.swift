extension StoreClasses {
    /// The kinds of stores that are there without being registered.
    static var builtIn: [String: any RowStore.Type] {
        var classes: [String: any RowStore.Type] = [
            NSSQLiteStoreType: SQLiteStore.self,
            NSInMemoryStoreType: InMemoryStore.self,
            NSBinaryStoreType: BinaryStore.self,
            NSXMLStoreType: XMLStore.self,
        ]
        #if PostgreSQL
        classes[PostgreSQLStore.typeName] = PostgreSQLStore.self
        #endif
        return classes
    }
}
