import Foundation

/// Casts between requests of different result types, which `mergectl port` writes. Those of results
/// controllers and of asynchronous results are beside their classes.
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
    return ObjectClass.retyped(request, as: type)
}
