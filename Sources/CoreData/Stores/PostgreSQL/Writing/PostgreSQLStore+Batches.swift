#if PostgreSQL
extension PostgreSQLStore: BatchStore {
    var batches: (any BatchStore)? { self }

    func update(_ batch: BatchUpdate) throws -> [RowReference] {
        try runBatch { try $0.update(batch) }
    }

    func delete(_ plan: FetchPlan, origin: ChangeOrigin) throws -> [RowReference] {
        try runBatch { try $0.delete(plan, origin) }
    }

    private func runBatch(_ body: (ServerSave) throws -> [RowReference]) throws -> [RowReference] {
        let open = try openedForWriting()
        // A request is about all rows that meet its predicate, also those that others have saved
        // just now.
        try catchUp(open)
        return try attempt(open, isUpToDate: true, body)
    }
}
#endif
