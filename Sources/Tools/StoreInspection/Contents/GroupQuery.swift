import CoreData
import MergeStack

/// A question for groups of objects: the values that they share, how many they are, and aggregates
/// of their values, which the store makes.
package struct GroupQuery {
    /// What is made of a group's values.
    package enum Function: String, CaseIterable, Sendable {
        case sum, avg, min, max

        fileprivate var name: String { self == .avg ? "average:" : "\(rawValue):" }
    }

    /// An aggregate: a function of an attribute.
    package struct Aggregate {
        package var function: Function
        package var key: String

        /// Makes an aggregate.
        package init(_ function: Function, of key: String) {
            self.function = function
            self.key = key
        }
    }

    /// The objects; its columns, order and limit are not looked at.
    package var objects: ObjectQuery
    /// The key paths whose values make a group; one group of all if empty.
    package var keys: [String]
    package var aggregates: [Aggregate]
    /// The order of the groups, as their columns; one that begins with `-` is descending. Groups
    /// come by their keys otherwise.
    package var sortKeys: [String]

    /// Makes a query.
    package init(
        _ objects: ObjectQuery,
        by keys: [String],
        _ aggregates: [Aggregate],
        sortKeys: [String] = []
    ) {
        self.objects = objects
        self.keys = keys
        self.aggregates = aggregates
        self.sortKeys = sortKeys
    }

    /// Asks a context, on its queue.
    ///
    /// - Returns: A row for each group: its keys, `count`, and the aggregates, such as
    ///   `max elevation`.
    /// - Throws: `MergeStackError` with code `invalidMapping` if there is no such entity or key, or
    ///   an aggregate of it; what the fetch throws.
    package func table(in context: NSManagedObjectContext) throws -> ObjectQuery.Table {
        let entity = try objects.entity(in: context)
        let groups = try keys.map { try attribute($0, of: entity) }
        let request = NSFetchRequest<NSDictionary>(entityName: objects.entityName)
        request.resultType = .dictionaryResultType
        request.predicate = objects.predicate
        let fetched = try [Self.count] + aggregates.map { try column($0, of: entity) }
        request.propertiesToFetch = groups.map(\.keyPath) + fetched
        if !groups.isEmpty {
            request.propertiesToGroupBy = groups.map(\.keyPath)
            request.sortDescriptors = groups.map {
                NSSortDescriptor(key: $0.keyPath, ascending: true)
            }
        }
        let names = groups.map(\.keyPath) + fetched.map(\.name)
        var rows = try context.fetch(request).map { row in names.map { row[$0] } }
        let titles = keys + ["count"] + aggregates.map { "\($0.function.rawValue) \($0.key)" }
        for key in sortKeys.reversed() { try sort(&rows, by: key, titles) }
        return ObjectQuery.Table(columns: titles, rows: rows)
    }

    // MARK: Columns

    private static var count: NSExpressionDescription {
        let column = NSExpressionDescription()
        column.name = "count"
        column.expression = NSExpression(
            forFunction: "count:",
            arguments: [NSExpression.expressionForEvaluatedObject()]
        )
        column.expressionResultType = .integer64AttributeType
        return column
    }

    private func attribute(_ key: String, of entity: NSEntityDescription) throws -> QueryColumn {
        let column = try QueryColumn(key, of: entity)
        guard column.attribute != nil else {
            throw MergeStackError(
                .invalidMapping,
                "\(entity.name ?? "") can't be grouped by \"\(key)\", which is an object without a "
                    + "key attribute: name an attribute of it."
            )
        }
        return column
    }

    private func column(
        _ aggregate: Aggregate,
        of entity: NSEntityDescription
    ) throws -> NSExpressionDescription {
        let value = try attribute(aggregate.key, of: entity)
        let type = value.attribute?.attributeType ?? .undefinedAttributeType
        let isNumber = [
            .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
            .doubleAttributeType, .floatAttributeType, .decimalAttributeType,
        ].contains(type)
        let isOrdered = isNumber || type == .dateAttributeType || type == .stringAttributeType
        let needsNumber = aggregate.function == .sum || aggregate.function == .avg
        guard needsNumber ? isNumber : isOrdered else {
            throw MergeStackError(
                .invalidMapping,
                "There is no \(aggregate.function.rawValue) of \"\(aggregate.key)\", whose values "
                    + "are no \(needsNumber ? "numbers" : "numbers, dates or texts")."
            )
        }
        let column = NSExpressionDescription()
        column.name = "\(aggregate.function.rawValue) \(aggregate.key)"
        column.expression = NSExpression(
            forFunction: aggregate.function.name,
            arguments: [NSExpression(forKeyPath: value.keyPath)]
        )
        column.expressionResultType = aggregate.function == .avg ? .doubleAttributeType : type
        return column
    }

    // MARK: Order

    private func sort(_ rows: inout [[Any?]], by key: String, _ titles: [String]) throws {
        let isAscending = !key.hasPrefix("-")
        let title = isAscending ? key : String(key.dropFirst())
        guard let index = titles.firstIndex(of: title) else {
            throw MergeStackError(
                .invalidMapping,
                "Groups have no column \"\(title)\" to be sorted by; they have "
                    + "\(titles.joined(separator: ", "))."
            )
        }
        // Stable, so that an earlier key goes before a later one.
        rows = rows.enumerated().sorted { left, right in
            let order = Self.order(left.element[index], right.element[index])
            if order == 0 { return left.offset < right.offset }
            return isAscending ? order < 0 : order > 0
        }.map(\.element)
    }

    private static func order(_ left: Any?, _ right: Any?) -> Int {
        switch (left, right) {
        case (let left as NSNumber, let right as NSNumber): left.compare(right).rawValue
        case (let left as String, let right as String): left.compare(right).rawValue
        case (let left as Date, let right as Date): left.compare(right).rawValue
        default: (left == nil ? 0 : 1) - (right == nil ? 0 : 1)
        }
    }
}
