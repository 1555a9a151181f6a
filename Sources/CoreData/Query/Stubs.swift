import Foundation
enum PredicatePrinter {
    static func string(_ e: NSExpression) -> String { "" }
    static func string(_ e: NSPredicate) -> String { "" }
}
final class CompiledPredicateCache {
    func evaluator(for p: NSPredicate) -> PredicateEvaluator { PredicateEvaluator() }
}
struct PredicateEvaluator {
    func evaluate(_ object: Any?, variables: [String: Any]?) -> Bool { true }
}
enum PredicateParser {
    static func predicate(_ format: String, _ arguments: [Any]) throws -> NSPredicate {
        throw PredicateError.unsupported("stub")
    }
    static func predicateOrTrap<P: NSPredicate>(_ format: String, _ arguments: [Any], as type: P.Type) -> P {
        fatalError()
    }
}
struct SortKeyComparator {
    init(_ d: [NSSortDescriptor]) {}
    func compare(_ a: Any, _ b: Any) -> ComparisonResult { .orderedSame }
}
