/// What is known of rows without reading the file.
extension SQLiteStore {
    func holds(_ layout: EntityLayout) -> Bool { hasTable(layout.index) }

    func cachedRow(_ layout: EntityLayout, _ primaryKey: Int64) -> RowCache.Entry {
        cache(rootIndex: layout.rootIndex)?.entry(primaryKey) ?? .unknown
    }

    func invalidateRow(_ layout: EntityLayout, _ primaryKey: Int64) {
        cache(rootIndex: layout.rootIndex)?.invalidate(primaryKey)
    }
}
