import Foundation

/// A predicate that compares two expressions.
///
/// > Threading: Immutable; any thread, as far as its constants are.
open class NSComparisonPredicate: NSPredicate {
    /// How a comparison deals with a to-many left side.
    public enum Modifier: UInt, Sendable {
        /// Compares the sides as they are.
        case direct = 0
        /// True if the comparison is for each element; true for an empty collection.
        case all = 1
        /// True if the comparison is for at least one element.
        case any = 2
    }

    /// What a comparison asks.
    public enum Operator: UInt, Sendable {
        /// `<`
        case lessThan = 0
        /// `<=`
        case lessThanOrEqualTo = 1
        /// `>`
        case greaterThan = 2
        /// `>=`
        case greaterThanOrEqualTo = 3
        /// `==`
        case equalTo = 4
        /// `!=`
        case notEqualTo = 5
        /// `MATCHES`: the whole string matches a regular expression.
        case matches = 6
        /// `LIKE`: the whole string matches a pattern with `*` and `?`.
        case like = 7
        /// `BEGINSWITH`
        case beginsWith = 8
        /// `ENDSWITH`
        case endsWith = 9
        /// `IN`: the left side is an element, or a part, of the right side.
        case `in` = 10
        /// A comparison by a method of the client's; not available on this platform.
        case customSelector = 11
        /// `CONTAINS`: the right side is an element, or a part, of the left side.
        case contains = 99
        /// `BETWEEN`: both bounds count as between.
        case between = 100
    }

    /// How strings are compared.
    public struct Options: OptionSet, Hashable, Sendable {
        public let rawValue: UInt
        /// Makes options of their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// `[c]`
        public static let caseInsensitive = Options(rawValue: 1)
        /// `[d]`
        public static let diacriticInsensitive = Options(rawValue: 2)
        /// `[n]`: the strings are normalized already; compares bytes.
        public static let normalized = Options(rawValue: 4)
        /// `[l]`: accepted; comparison is the same in all locales.
        static let localeSensitive = Options(rawValue: 8)
    }

    /// The left side.
    public let leftExpression: NSExpression
    /// The right side.
    public let rightExpression: NSExpression
    /// How a to-many left side is dealt with.
    public let comparisonPredicateModifier: Modifier
    /// What is asked.
    public let predicateOperatorType: Operator
    /// How strings are compared.
    public let options: Options
    /// Compiled on the first evaluation.
    let compiled = CompiledPredicateCache()

    /// Makes a comparison.
    public init(
        leftExpression lhs: NSExpression,
        rightExpression rhs: NSExpression,
        modifier: Modifier,
        type: Operator,
        options: Options = []
    ) {
        leftExpression = lhs
        rightExpression = rhs
        comparisonPredicateModifier = modifier
        predicateOperatorType = type
        self.options = options
        // Foundation's class must be given some kind. This one is never asked for: all that goes by
        // it is overridden here.
        super.init(value: true)
        // Compounds of Foundation's that hold this predicate are to print and compare as ours do.
        _ = CompoundPredicateMethods.areInstalled
    }

    /// Not available: there are no methods by name on this platform.
    @available(*, unavailable, message: "Use a block predicate on the fetched objects instead.")
    public init(
        leftExpression lhs: NSExpression,
        rightExpression rhs: NSExpression,
        customSelector selector: Selector
    ) {
        fatalError("unavailable")
    }

    /// nil: see the operator ``Operator/customSelector``.
    open var customSelector: Selector? { nil }

    /// The predicate itself: it does not change.
    open override func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another predicate is made of the same parts.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSPredicate else { return false }
        return self === other || QueryEquality.areEqual(self, other)
    }

    open override var hash: Int { QueryEquality.hash(of: self) }

    /// The predicate as a format string.
    open override var predicateFormat: String { PredicatePrinter.string(self) }

    open override var description: String { PredicatePrinter.string(self) }

    /// Whether an object satisfies the predicate.
    open override func evaluate(with object: Any?) -> Bool {
        compiled.evaluator(for: self).evaluate(object, variables: nil)
    }

    /// Whether an object satisfies the predicate with these values for its variables.
    open override func evaluate(
        with object: Any?,
        substitutionVariables bindings: [String: Any]?
    ) -> Bool {
        compiled.evaluator(for: self).evaluate(object, variables: bindings)
    }
}
