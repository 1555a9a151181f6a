import Foundation

/// Casts between requests, results controllers and results of different result types, which
/// `mergectl port` writes.
///
/// On Apple's platforms generic parameters of Objective-C classes are erased, and each request can
/// be cast to one of any other result type. Swift's classes know their parameters. So ported
/// sources say `unsafeBitCast(request as AnyObject, to: NSFetchRequest<Person>.self)`: with Apple's
/// framework that is the standard library's function, here it is one of these, which check what
/// they are passed, and tell the request its new result type.

/// The same request, as one for results of another type.
///
/// > Threading: On the thread that uses the request.
///
/// - Precondition: It is a fetch request.
@inline(never)
public func unsafeBitCast<Result: NSFetchRequestResult>(
    _ request: AnyObject,
    to type: NSFetchRequest<Result>.Type
) -> NSFetchRequest<Result> {
    guard let anyRequest = request as? any AnyFetchRequest else {
        fatalError("This is no fetch request, but \(Swift.type(of: request)).")
    }
    RequestClasses.retype(anyRequest, as: Result.self)
    return retyped(request, as: type)
}

/// The same results controller, as one of objects of another type.
///
/// > Threading: On the queue of the controller's context.
///
/// - Precondition: It is a results controller.
@inline(never)
public func unsafeBitCast<Result: NSFetchRequestResult>(
    _ controller: AnyObject,
    to type: NSFetchedResultsController<Result>.Type
) -> NSFetchedResultsController<Result> {
    guard controller is NSFetchedResultsController<any NSFetchRequestResult> else {
        fatalError("This is no results controller, but \(Swift.type(of: controller)).")
    }
    return retyped(controller, as: type)
}

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
    guard result is NSAsynchronousFetchResult<any NSFetchRequestResult> else {
        fatalError(
            "This is no result of an asynchronous fetch, but \(Swift.type(of: result))."
        )
    }
    return retyped(result, as: type)
}

/// The same object; all classes of a generic class have the same layout.
private func retyped<Object: AnyObject>(_ object: AnyObject, as type: Object.Type) -> Object {
    let address = Unmanaged.passUnretained(object).toOpaque()
    return Unmanaged<Object>.fromOpaque(address).takeUnretainedValue()
}
