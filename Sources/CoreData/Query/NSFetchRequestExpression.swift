import Foundation

/// An expression for what a fetch request finds, or for how many objects it finds.
///
/// In a predicate of a SQLite fetch its request is executed first, in its own context. Of
/// dictionaries with one property, the values are taken.
///
/// > Threading: Immutable; evaluate it on the queue of the context that it names.
open class NSFetchRequestExpression: NSExpression, @unchecked Sendable {
    // @unchecked: see NSExpression.

    /// Makes an expression that executes a fetch request.
    ///
    /// - Parameters:
    ///   - fetch: An expression whose value is the fetch request.
    ///   - context: An expression whose value is the managed object context.
    ///   - countFlag: Whether the value is the number of objects instead of the objects.
    @discardableResult
    open class func expression(
        forFetch fetch: NSExpression,
        context: NSExpression,
        countOnly countFlag: Bool
    ) -> NSExpression {
        NSFetchRequestExpression(.fetch(request: fetch, context: context, countsOnly: countFlag))
    }

    /// The expression whose value is the fetch request.
    open var requestExpression: NSExpression { parts.request }
    /// The expression whose value is the managed object context.
    open var contextExpression: NSExpression { parts.context }
    /// Whether the value is the number of objects.
    open var isCountOnlyRequest: Bool { parts.countsOnly }

    private var parts: (request: NSExpression, context: NSExpression, countsOnly: Bool) {
        guard case .fetch(let request, let context, let countsOnly) = node else {
            fatalError(
                "An NSFetchRequestExpression is made with expression(forFetch:context:countOnly:)."
            )
        }
        return (request, context, countsOnly)
    }
}

/// The type of fetch request expressions.
public var NSFetchRequestExpressionType: NSExpression.ExpressionType { .fetchRequest }

/// Something that executes the requests of `FETCH` expressions: a context.
///
/// Which values are requests is for it to say, since expressions hold values of any type.
protocol FetchExecuting {
    /// What a request finds, or how many objects it finds; nil for a value that is no fetch request.
    ///
    /// Of dictionaries with one property the values are taken, so that `name IN FETCH(…)` can
    /// look among the values of a column.
    func fetchedValue(of request: Any, countsOnly: Bool) throws -> QueryValue?
}
