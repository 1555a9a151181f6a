import Foundation

/// The compound predicates that the parser makes: Foundation's, with a format string, equality and
/// coding.
///
/// > Threading: Immutable; any thread, as far as its constants are.
final class CompoundPredicate: NSCompoundPredicate {
    private let compiled = CompiledPredicateCache()

    override init(type: NSCompoundPredicate.LogicalType, subpredicates: [NSPredicate]) {
        super.init(type: type, subpredicates: subpredicates)
    }

    /// Archives name the class that has a name for clients.
    override var classForKeyedArchiver: AnyClass? { NSCompoundPredicate.self }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPredicate else { return false }
        return self === other || QueryEquality.areEqual(self, other)
    }
    override var hash: Int { QueryEquality.hash(of: self) }
    override var predicateFormat: String { PredicatePrinter.string(self) }
    override var description: String { PredicatePrinter.string(self) }

    override func evaluate(with object: Any?) -> Bool {
        compiled.evaluator(for: self).evaluate(object, variables: nil)
    }
    override func evaluate(
        with object: Any?,
        substitutionVariables bindings: [String: Any]?
    ) -> Bool {
        compiled.evaluator(for: self).evaluate(object, variables: bindings)
    }
}

extension NSCompoundPredicate {
    /// The parts, typed.
    var subpredicateList: [NSPredicate] { subpredicates }
}
