/// The same result of an asynchronous fetch, as one of values of another type.
///
/// > Threading: On the queue of the request's context.
///
/// - Precondition: It is the result of an asynchronous fetch.
@inline(never)
public func unsafeBitCast<Result: NSFetchRequestResult>(
    _ result: AnyObject,
    to type: NSAsynchronousFetchResult<Result>.Type
) -> NSAsynchronousFetchResult<Result> {
    // That class is the superclass of all others here, see `RequestClasses`.
    guard result is NSAsynchronousFetchResult<any NSFetchRequestResult> else {
        fatalError(
            "This is no result of an asynchronous fetch, but \(Swift.type(of: result))."
        )
    }
    return ObjectClass.retyped(result, as: type)
}
