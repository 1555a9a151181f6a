import Foundation

/// Fetches that give dictionaries.
extension NSManagedObjectContext {
    /// Dictionaries come from the stores alone: unsaved changes do not show, as on Apple's
    /// platforms.
    func dictionaries(_ request: any AnyFetchRequest) throws -> [NSDictionary] {
        let plan = try plan(request)
        let named = try (request.propertiesToFetch ?? defaultColumns(plan.layout)).map(column)
        let columns = ColumnPlan(
            columns: named.map(\.column),
            isDistinct: request.returnsDistinctResults,
            groupBy: try (request.propertiesToGroupBy ?? []).map { try column($0).name },
            having: request.havingPredicate
        )
        return try stores(plan, request).flatMap { store in
            try store.values(plan, columns: columns).map { values in
                let result = NSMutableDictionary()
                for (value, name) in zip(values, named.map(\.name)) {
                    guard let value else { continue }
                    if let reference = value as? RowReference {
                        result[name] = objectID(reference, in: store.identity)
                    } else {
                        result[name] = value
                    }
                }
                return result
            }
        }
    }

    private func defaultColumns(_ layout: EntityLayout) -> [Any] {
        (layout.attributeSlots + layout.toOneSlots).map { layout.slots[$0].name }
    }

    private func column(_ property: Any) throws -> (name: String, column: ColumnPlan.Column) {
        switch property {
        case let description as NSExpressionDescription:
            guard let expression = description.expression else {
                throw CocoaError.coreData(
                    "The expression description \"\(description.name)\" has no expression."
                )
            }
            if expression.expressionType == .evaluatedObject {
                return (description.name, .objectID)
            }
            return (
                description.name,
                .expression(expression, description.expressionResultType)
            )
        case let description as NSPropertyDescription:
            return (description.name, .keyPath(description.name))
        case let name as String where name == "objectID":
            return (name, .objectID)
        case let name as String:
            return (name, .keyPath(name))
        default:
            throw CocoaError.coreData(
                "propertiesToFetch and propertiesToGroupBy take names and property descriptions, "
                    + "not \(type(of: property))."
            )
        }
    }
}
