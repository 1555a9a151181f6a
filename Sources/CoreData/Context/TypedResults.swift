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
            if isChecked, T.self != NSManagedObject.self { try check(objects, T.self) }
            // Results are single references, so that those of one class can serve as those of
            // another, and so can the array of them.
            return unsafeBitCast(objects, to: [T].self)
        case .other(let values):
            return isChecked
                ? try cast(values) : values.map { unsafeBitCast($0 as AnyObject, to: T.self) }
        }
    }

    /// Looks at each class once where objects of one class follow each other.
    private static func check<T>(_ objects: [NSManagedObject], _ type: T.Type) throws {
        var checked: NSManagedObject.Type?
        for object in objects where Swift.type(of: object) != checked {
            guard object is T else { throw mismatch(object, type) }
            checked = Swift.type(of: object)
        }
    }

    private static func cast<T>(_ values: [Any]) throws -> [T] {
        var result: [T] = []
        result.reserveCapacity(values.count)
        for value in values {
            guard let typed = value as? T else { throw mismatch(value, T.self) }
            result.append(typed)
        }
        return result
    }

    private static func mismatch<T>(_ value: Any, _ type: T.Type) -> CocoaError {
        CocoaError.coreData(
            "The fetch request promises \(T.self), but the result is \(Swift.type(of: value)): check "
                + "the class name of the entity in the model and the request's resultType."
        )
    }
}
