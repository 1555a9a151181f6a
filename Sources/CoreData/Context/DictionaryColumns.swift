import Foundation

/// The columns of a request for dictionaries, checked by Apple's rules.
///
/// A variable in the condition on groups, `$total`, stands for the column of that name.
///
/// Source: the pages of `propertiesToFetch`, `propertiesToGroupBy` and `havingPredicate` in Apple's
/// documentation of `NSFetchRequest`.
struct DictionaryColumns {
    /// The keys of the dictionaries, one for each column of the plan.
    let names: [String]
    let plan: ColumnPlan
    private let rows: RowAggregation

    /// - Throws: `NSCoreDataError` for what is no column, for columns that are neither grouped nor
    ///   aggregates, and for a condition on groups where there are none.
    init(_ request: any AnyFetchRequest, _ rows: RowAggregation) throws {
        self.rows = rows
        let properties = request.propertiesToFetch ?? Self.defaultColumns(rows.layout)
        let columns = try properties.map(Self.column)
        let groups = try (request.propertiesToGroupBy ?? []).map(Self.column)
        names = columns.map(\.name)
        let namedColumns = PredicateRewriting { part, _ in
            guard case .variable(let name) = part.node else { return nil }
            return columns.first { $0.name == name }?.column.value
        }
        // With groups, a collection operator of a column is of all rows of a group.
        let isGrouped = !groups.isEmpty
        plan = ColumnPlan(
            columns: columns.map { isGrouped ? Self.grouped($0.column, rows) : $0.column },
            isDistinct: request.returnsDistinctResults,
            groupBy: groups.map(\.column.value),
            having: request.havingPredicate.map(namedColumns.predicate)
        )
        for column in plan.columns { try checkPath(column) }
        if !plan.groupBy.isEmpty {
            for (column, name) in zip(plan.columns, names) { try checkGroup(column, name) }
        }
        guard plan.having == nil || !plan.groupBy.isEmpty else {
            throw CocoaError.coreData(
                "A fetch request with a havingPredicate needs propertiesToGroupBy: set it, or "
                    + "use the request's predicate."
            )
        }
    }

    /// - Throws: `NSCoreDataError` if a request groups what are no dictionaries.
    static func checkGrouping(of request: any AnyFetchRequest) throws {
        guard request.propertiesToGroupBy?.isEmpty == false,
            !request.resultType.contains(.dictionaryResultType)
        else { return }
        throw CocoaError.coreData(
            "A fetch request with propertiesToGroupBy gives dictionaries: set its resultType to "
                + "dictionaryResultType."
        )
    }

    // MARK: Columns

    private static func defaultColumns(_ layout: EntityLayout) -> [Any] {
        (layout.attributeSlots + layout.toOneSlots).map { layout.slots[$0].name }
    }

    private static func column(
        _ property: Any
    ) throws -> (name: String, column: ColumnPlan.Column) {
        switch property {
        case let description as NSExpressionDescription:
            // Without an expression it is a property description like others.
            guard let expression = description.expression else {
                return (description.name, .keyPath(description.name))
            }
            if expression.expressionType == .evaluatedObject {
                return (description.name, .objectID)
            }
            let column = overRows(expression)
            return (description.name, .expression(column, description.expressionResultType))
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

    /// A function over the rows in place of a collection operator that a key path begins with:
    /// `@sum.age` is `sum:(age)`, and `@count` counts the rows. Other expressions stay as they are.
    private static func overRows(_ expression: NSExpression) -> NSExpression {
        guard case .keyPath(nil, let path) = expression.node,
            case .collectionOperator(let first)? = KeyPathSteps(path).steps.first,
            let function = first.function
        else { return expression }
        let rest = String(path.drop { $0 != "." }.dropFirst())
        guard !rest.isEmpty || first == .count else { return expression }
        let argument =
            first == .count
            ? NSExpression.expressionForEvaluatedObject() : NSExpression(forKeyPath: rest)
        return NSExpression(forFunction: function.rawValue, arguments: [argument])
    }

    private static func grouped(
        _ column: ColumnPlan.Column,
        _ rows: RowAggregation
    ) -> ColumnPlan.Column {
        guard case .expression(let expression, let type) = column else { return column }
        return .expression(rows.groupedOperator(expression), type)
    }

    // MARK: Checks

    /// Unknown keys are left to the stores, which name them.
    private func checkPath(_ column: ColumnPlan.Column) throws {
        guard case .keyPath(let path) = column else { return }
        var layout = rows.layout
        for step in KeyPathSteps(path).steps {
            guard case .key(let key) = step, let slot = layout.slot(named: key.name) else {
                return
            }
            guard !slot.isToMany, !slot.isTransient else {
                throw CocoaError.coreData(
                    "\(path) can't be fetched into a dictionary: \(layout.name).\(key) is "
                        + "\(slot.isToMany ? "a to-many relationship" : "transient"). Fetch "
                        + "objects, or an expression over it."
                )
            }
            if slot.isRelationship { layout = rows.model.entities[slot.destinationIndex] }
        }
    }

    private func checkGroup(_ column: ColumnPlan.Column, _ name: String) throws {
        var isGrouped = true
        let walk = PredicateRewriting { part, _ in
            // Not looked into: whatever it is made of, it has one value for a group.
            if plan.groupBy.contains(part) || rows.isAggregate(part) { return part }
            switch part.node {
            case .keyPath(nil, _), .evaluatedObject: isGrouped = false
            default: break
            }
            return nil
        }
        _ = walk.expression(column.value)
        guard isGrouped else {
            throw CocoaError.coreData(
                "\(name) is neither an aggregate nor in propertiesToGroupBy: put it there, or take "
                    + "it out of propertiesToFetch."
            )
        }
    }
}

extension ColumnPlan.Column {
    /// The column as an expression over a row.
    fileprivate var value: NSExpression {
        switch self {
        case .keyPath(let path): NSExpression(forKeyPath: path)
        case .expression(let expression, _): expression
        case .objectID: NSExpression.expressionForEvaluatedObject()
        }
    }
}
