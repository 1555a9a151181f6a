/// The value of a `FETCH` expression: the results of its request, or their number.
enum FetchedValue {
    /// - Returns: nil if the request or the context is not there yet: they are given as constants.
    /// - Throws: What the request throws.
    static func value(
        of request: NSExpression,
        in context: NSExpression,
        countsOnly: Bool
    ) throws -> QueryValue? {
        // Variables may stand for both until values are substituted for them.
        guard case .constant(let asked?) = request.node,
            case .constant(let executor as any FetchExecuting) = context.node
        else { return nil }
        return try executor.fetchedValue(of: asked, countsOnly: countsOnly)
    }
}
