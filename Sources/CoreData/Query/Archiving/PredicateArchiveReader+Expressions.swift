import Foundation

extension PredicateArchiveReader {
    /// The name in archives of the class that has the functions of the predicate language.
    static let functionClass = "_NSPredicateUtilities"

    func expression(_ object: ArchivedObject) throws(ArchiveError) -> NSExpression {
        try descend()
        defer { ascend() }
        switch object.className {
        case "NSConstantValueExpression": return try constant(object)
        case "NSSelfExpression": return NSExpression(.evaluatedObject)
        case "NSVariableExpression":
            guard let name = try object.string("NSVariable") else {
                throw object.malformed("NSVariable")
            }
            return NSExpression(.variable(name))
        case "NSKeyPathSpecifierExpression":
            guard let path = try object.string("NSKeyPath") else {
                throw object.malformed("NSKeyPath")
            }
            return NSExpression(.keyPath(operand: nil, path: path))
        case "NSKeyPathExpression": return try keyPath(object)
        case "NSFunctionExpression": return try function(object)
        case "NSAggregateExpression":
            return NSExpression(.aggregate(try list(object, "NSCollection")))
        case "NSSetExpression": return try setOperation(object)
        case "NSTernaryExpression": return try conditional(object)
        case "NSSubqueryExpression": return try subquery(object)
        case "NSFetchRequestExpression": return try fetch(object)
        case "NSAnyKeyExpression": return NSExpression(.anyKey)
        default:
            throw ArchiveError(reason: "expressions of class \(object.className) are not known")
        }
    }

    private func constant(_ object: ArchivedObject) throws(ArchiveError) -> NSExpression {
        if let name = try object.string("NSConstantValueClassName") {
            throw ArchiveError(reason: "the class \(name) stands for a value")
        }
        let constant = try object.value("NSConstantValue")
        // As the parser has them, so that they print alike.
        if case .plain(.boolean(let boolean)) = constant { return NSExpression(.constant(boolean)) }
        let value = try ArchivedValueReader(archive)
            .object(
                constant,
                allowing: FoundationArchive.propertyListClasses
            )
        return NSExpression(.constant(value is NSNull ? nil : value))
    }

    /// A key path of the evaluated object, or of what a variable or a function gives.
    private func keyPath(_ object: ArchivedObject) throws(ArchiveError) -> NSExpression {
        guard let argument = try list(object, "NSArguments").first,
            case .keyPath(nil, let path) = argument.node
        else { throw object.malformed("NSArguments") }
        guard let operand = try object.object("NSOperand") else { return argument }
        let source = try expression(operand)
        // The parser makes no operand of SELF either; with one, an archived predicate would not
        // print as the parsed one does.
        if case .evaluatedObject = source.node { return argument }
        return NSExpression(.keyPath(operand: source, path: path))
    }

    private func function(_ object: ArchivedObject) throws(ArchiveError) -> NSExpression {
        guard let name = try object.string("NSSelectorName") else {
            throw object.malformed("NSSelectorName")
        }
        var arguments = try list(object, "NSArguments")
        // Functions of the predicate language have their class for an operand; any other operand is
        // a target, which is the first argument here.
        if let operand = try object.object("NSOperand"),
            try operand.string("NSConstantValueClassName") != Self.functionClass
        {
            arguments.insert(try expression(operand), at: 0)
        }
        if allowsCalls, let target = arguments.first, case .variable = target.node {
            return NSExpression(.function(name: name, arguments: arguments))
        }
        guard let function = QueryFunction(rawValue: name),
            function.isAggregate || arguments.count == function.argumentCount
        else { throw ArchiveError(reason: "the function \(name) is not known") }
        return NSExpression(.function(name: name, arguments: arguments))
    }

    private func fetch(_ object: ArchivedObject) throws(ArchiveError) -> NSExpression {
        NSFetchRequestExpression(
            .fetch(
                request: try part(object, "NSFRExpression"),
                context: try part(object, "NSMOCExpression"),
                countsOnly: try object.boolean("NSCountOnlyFlag") ?? false
            )
        )
    }

    private func list(
        _ object: ArchivedObject,
        _ key: String
    ) throws(ArchiveError) -> [NSExpression] {
        var expressions: [NSExpression] = []
        for element in try object.object(key)?.elements() ?? [] {
            guard case .object(let element) = element else { throw object.malformed(key) }
            expressions.append(try expression(element))
        }
        return expressions
    }

    private func setOperation(_ object: ArchivedObject) throws(ArchiveError) -> NSExpression {
        let left = try part(object, "NSLeftExpression")
        let right = try part(object, "NSRightExpression")
        let code = try object.integer("NSExpressionType") ?? -1
        switch UInt(exactly: code).flatMap(NSExpression.ExpressionType.init) {
        case .unionSet: return NSExpression(.setOperation(.union, left, right))
        case .intersectSet: return NSExpression(.setOperation(.intersect, left, right))
        case .minusSet: return NSExpression(.setOperation(.minus, left, right))
        default: throw object.malformed("NSExpressionType")
        }
    }

    private func conditional(_ object: ArchivedObject) throws(ArchiveError) -> NSExpression {
        guard let condition = try object.object("NSPredicate") else {
            throw object.malformed("NSPredicate")
        }
        return NSExpression(
            .conditional(
                try predicate(condition),
                try part(object, "NSTrueExpression"),
                try part(object, "NSFalseExpression")
            )
        )
    }

    private func subquery(_ object: ArchivedObject) throws(ArchiveError) -> NSExpression {
        let variable: String?
        if case .object(let name) = try object.value("NSVariable"),
            try name.stringContent() == nil
        {
            variable = try name.string("NSVariable")
        } else {
            variable = try object.string("NSVariable")
        }
        let (condition, other) = (
            try object.object("NSSubpredicate"), try object.object("NSPredicate")
        )
        guard let variable, let condition = condition ?? other else {
            throw object.malformed("NSVariable")
        }
        let isShort = object.fields["NSCollectionExpression"] == nil
        let collection = try part(object, isShort ? "NSCollection" : "NSCollectionExpression")
        return NSExpression(
            .subquery(
                collection: collection,
                variable: variable,
                predicate: try predicate(condition)
            )
        )
    }
}
