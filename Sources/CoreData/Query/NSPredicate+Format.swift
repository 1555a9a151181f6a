import Foundation

/// Gives `NSPredicate` the initializers that Foundation lacks here.
///
/// An initializer of a class can't return another class; one of a protocol extension can. Only
/// `NSPredicate` conforms.
public protocol PredicateFormat {}

extension NSPredicate: PredicateFormat {}

extension PredicateFormat where Self: NSPredicate {
    /// Makes a predicate that is true of everything.
    public init() { self = PredicateParser.predicateOrTrap("TRUEPREDICATE", [], as: Self.self) }

    /// Makes a predicate of a format string.
    ///
    ///     NSPredicate(format: "name BEGINSWITH[cd] %@ AND age > %d", "A", 30)
    ///
    /// Arguments are never parsed: whatever is in a string that goes to `%@` is that string.
    ///
    /// - Precondition: The format is well-formed and has a specifier for each argument. For
    ///   strings that users write, use ``parse(_:arguments:)``.
    public init(format predicateFormat: String, _ args: Any...) {
        // Foundation's own initializer is unavailable on Linux. One of a protocol extension wins
        // over it, and may assign `self` an object of a subclass.
        self = PredicateParser.predicateOrTrap(predicateFormat, args, as: Self.self)
    }

    /// Makes a predicate of a format string and a list of arguments, one for each specifier.
    ///
    /// - Precondition: The format is well-formed and has a specifier for each argument.
    public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
        self = PredicateParser.predicateOrTrap(predicateFormat, arguments ?? [], as: Self.self)
    }

    /// Makes a predicate of a format string that may come from a user.
    ///
    /// Ours, not Apple's: Apple's initializers can't throw.
    ///
    /// - Parameters:
    ///   - format: The format string.
    ///   - arguments: One argument for each specifier in it.
    /// - Throws: An error that names the position and what was expected there.
    public static func parse(_ format: String, arguments: [Any] = []) throws -> NSPredicate {
        try PredicateParser.predicate(format, arguments)
    }

    /// The predicate with its variables replaced by constants; variables that have no value here
    /// stay.
    public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
        guard let replaced = VariableSubstitution(variables).predicate(self) as? Self else {
            return self
        }
        return replaced
    }

    /// The predicate as a format string, whoever made it.
    ///
    /// Ours, not Apple's: `predicateFormat` says the same, with a deprecation warning of Foundation's.
    public var formatString: String { PredicatePrinter.string(self) }

    /// Makes a predicate of a format string and a list of arguments.
    ///
    /// - Precondition: As ``init(format:argumentArray:)``; the list is one of `withVaList(_:_:)`,
    ///   within its block, or of `getVaList(_:)`, on its thread.
    public init(format predicateFormat: String, arguments argList: CVaListPointer) {
        let arguments = VariadicArguments.arguments(of: argList)
        self = PredicateParser.predicateOrTrap(predicateFormat, arguments, as: Self.self)
    }

    /// Not available: predicates of the `#Predicate` macro don't say their keys here.
    @available(*, unavailable, message: "Use init(format:_:) instead.")
    public init?<Input>(_ predicate: Predicate<Input>) where Input: NSObject { return nil }

    /// Does nothing: predicates need no permission to be evaluated here.
    public func allowEvaluation() {}
}
