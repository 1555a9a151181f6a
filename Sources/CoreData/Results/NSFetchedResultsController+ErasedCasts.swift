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
    return ObjectClass.retyped(controller, as: type)
}
