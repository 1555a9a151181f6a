/// Results in the type that the request names, without looking at each object where its class says
/// enough.
enum TypedResults {
    static func cast<T>(
        _ results: NSManagedObjectContext.FetchResults,
        to type: T.Type
    ) throws -> [T] {
        switch results {
        case .objects(let objects):
            if let same = objects as? [T], T.self == NSManagedObject.self { return same }
            return try cast(objects)
        case .other(let values):
            return try cast(values)
        }
    }

    private static func cast<T>(_ values: [Any]) throws -> [T] {
        var result: [T] = []
        result.reserveCapacity(values.count)
        for value in values {
            guard let typed = value as? T else {
                throw CocoaError.coreData(
                    "The fetch request promises \(T.self), but the result is "
                        + "\(Swift.type(of: value)): check the class name of the entity in the "
                        + "model and the request's resultType."
                )
            }
            result.append(typed)
        }
        return result
    }
}
