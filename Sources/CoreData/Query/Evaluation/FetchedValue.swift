import Foundation

/// What a `FETCH` expression stands for: the results of its request, or their number.
///
/// Dictionaries of one property stand for their values, so that `name IN FETCH(…)` can look among
/// the values of a column.
enum FetchedValue {
    /// - Returns: nil if the request or the context is not there yet: they are given as constants.
    /// - Throws: What the request throws.
    static func value(
        of request: NSExpression,
        in context: NSExpression,
        countsOnly: Bool
    ) throws -> QueryValue? {
        guard case .constant(let asked as any AnyFetchRequest) = request.node,
            case .constant(let executor as any FetchExecuting) = context.node
        else { return nil }
        return try value(of: asked, in: executor, countsOnly: countsOnly)
    }

    /// - Throws: What the request throws.
    static func value(
        of request: any AnyFetchRequest,
        in executor: any FetchExecuting,
        countsOnly: Bool
    ) throws -> QueryValue {
        if countsOnly { return .integer(Int64(try executor.count(of: request))) }
        let results = try executor.results(of: request)
        guard request.resultType.contains(.dictionaryResultType) else {
            return .collection(results.map { QueryValue($0) })
        }
        return .collection(
            results.map { result in
                guard let columns = result as? NSDictionary, columns.count == 1 else {
                    return QueryValue(result)
                }
                return QueryValue(columns.allValues[0])
            }
        )
    }
}
