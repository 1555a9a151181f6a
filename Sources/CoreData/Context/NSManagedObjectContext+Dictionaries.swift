import Foundation

/// Requests for dictionaries.
extension NSManagedObjectContext {
    /// What a request for dictionaries gives.
    ///
    /// Dictionaries come from the stores alone: unsaved changes do not show, as on Apple's
    /// platforms. Each store groups and aggregates its own rows.
    func dictionaries(_ request: any AnyFetchRequest) throws -> [NSDictionary] {
        let plan = try plan(request)
        let rows = RowAggregation(model: coordinator.modelLayout, layout: plan.layout)
        let columns = try DictionaryColumns(request, rows)
        return try stores(plan, request).flatMap { store in
            try store.values(plan, columns: columns.plan).map { values in
                dictionary(values, columns.names, in: store)
            }
        }
    }

    private func dictionary(
        _ values: [Any?],
        _ names: [String],
        in store: any RowStore
    ) -> NSDictionary {
        let result = NSMutableDictionary()
        for (value, name) in zip(values, names) {
            guard let value else { continue }
            // Stores deal in references; an ID, which is what clients get, is made here.
            if let reference = value as? RowReference {
                result[name] = objectID(reference, in: store.identity)
            } else {
                result[name] = value
            }
        }
        return result
    }
}
