/// Results in the type that the request names, without looking at each object where its class says
/// enough.
enum TypedResults {
    /// - Parameter isChecked: Whether results of another type throw; if not, they are what the
    ///   variable of the request says, though the request's class says something else.
    static func cast<T: AnyObject>(
        _ results: NSManagedObjectContext.FetchResults,
        to type: T.Type,
        isChecked: Bool
    ) throws -> [T] {
        switch results {
        case .objects(let objects):
            if let same = objects as? [T], T.self == NSManagedObject.self { return same }
            // Results are single references, so that those of one class can serve as those of
            // another.
            return isChecked ? try cast(objects) : objects.map { unsafeBitCast($0, to: T.self) }
        case .other(let values):
            return isChecked
                ? try cast(values) : values.map { unsafeBitCast($0 as AnyObject, to: T.self) }
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
