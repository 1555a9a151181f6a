import Foundation

/// A part of a predicate that has no form in archives of Apple's framework.
struct UnwritableQuery: Error {
    /// What it is, with its article.
    let what: String
}

/// Puts predicates, expressions and sort descriptors into a keyed archive, in the form of Apple's
/// framework.
struct PredicateArchiveWriter {
    let builder: KeyedArchiveBuilder
    /// Whether functions may be what a variable's value can do, as in mapping models.
    var allowsCalls = false

    // MARK: Predicates

    /// A reference to a predicate; to nil for nil.
    func predicate(_ predicate: NSPredicate?) throws(UnwritableQuery) -> PropertyListValue {
        switch predicate {
        case nil: return KeyedArchiveBuilder.null
        case let compound as NSCompoundPredicate: return try self.compound(compound)
        case let comparison as NSComparisonPredicate: return try self.comparison(comparison)
        case let other?:
            // Foundation's plain predicates: constants, or blocks of a client.
            switch PredicatePrinter.string(other) {
            case "TRUEPREDICATE": return builder.object(Self.classes("NSTruePredicate"), [:])
            case "FALSEPREDICATE": return builder.object(Self.classes("NSFalsePredicate"), [:])
            default: throw UnwritableQuery(what: "a predicate of a block")
            }
        }
    }

    private static func classes(_ name: String) -> [String] { [name, "NSPredicate", "NSObject"] }

    private func compound(
        _ compound: NSCompoundPredicate
    ) throws(UnwritableQuery) -> PropertyListValue {
        var parts: [PropertyListValue] = []
        for part in compound.subpredicateList { parts.append(try predicate(part)) }
        return builder.object(
            Self.classes("NSCompoundPredicate"),
            [
                "NSCompoundPredicateType": .integer(
                    Int64(compound.compoundPredicateType.rawValue)
                ),
                "NSSubpredicates": builder.array(parts),
            ]
        )
    }

    private func comparison(
        _ comparison: NSComparisonPredicate
    ) throws(UnwritableQuery) -> PropertyListValue {
        let left = try expression(comparison.leftExpression)
        let right = try expression(comparison.rightExpression)
        return builder.object(
            Self.classes("NSComparisonPredicate"),
            [
                "NSLeftExpression": left, "NSRightExpression": right,
                "NSPredicateOperator": try comparisonOperator(comparison),
            ]
        )
    }

    /// Each kind of operator has a class of its own, with fields of its own.
    private func comparisonOperator(
        _ comparison: NSComparisonPredicate
    ) throws(UnwritableQuery) -> PropertyListValue {
        let type = comparison.predicateOperatorType
        let code = PropertyListValue.integer(Int64(type.rawValue))
        let options = PropertyListValue.integer(Int64(comparison.options.rawValue))
        var fields: [String: PropertyListValue] = [
            "NSOperatorType": code,
            "NSModifier": .integer(Int64(comparison.comparisonPredicateModifier.rawValue)),
        ]
        let name: String
        // Apple's framework has a class for each group of operators, and each reads fields of its
        // own: equality and order have their options under another key than the rest.
        switch type {
        case .equalTo, .notEqualTo:
            name = "NSEqualityPredicateOperator"
            fields["NSNegate"] = .boolean(type == .notEqualTo)
            fields["NSOptions"] = options
        case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
            name = "NSComparisonPredicateOperator"
            fields["NSVariant"] = code
            fields["NSOptions"] = options
        case .in, .contains:
            name = "NSInPredicateOperator"
            fields["NSFlags"] = options
        case .beginsWith, .endsWith:
            name = "NSSubstringPredicateOperator"
            fields["NSFlags"] = options
        case .matches, .like:
            name = type == .like ? "NSLikePredicateOperator" : "NSMatchingPredicateOperator"
            fields["NSFlags"] = options
        case .between: name = "NSBetweenPredicateOperator"
        case .customSelector: throw UnwritableQuery(what: "a comparison by a method")
        }
        return builder.object([name, "NSPredicateOperator", "NSObject"], fields)
    }

    // MARK: Sort descriptors

    func sortDescriptors(
        _ descriptors: [NSSortDescriptor]?
    ) throws(UnwritableQuery) -> PropertyListValue {
        guard let descriptors else { return KeyedArchiveBuilder.null }
        var parts: [PropertyListValue] = []
        for descriptor in descriptors {
            guard let selector = descriptor.selector else {
                throw UnwritableQuery(what: "a sort descriptor with a block")
            }
            parts.append(
                builder.object(
                    ["NSSortDescriptor", "NSObject"],
                    [
                        "NSKey": builder.string(descriptor.key),
                        "NSAscending": .boolean(descriptor.ascending),
                        "NSSelector": builder.string(selector.description),
                        "NSReverseNullOrder": .boolean(false),
                    ]
                )
            )
        }
        return builder.array(parts)
    }
}
