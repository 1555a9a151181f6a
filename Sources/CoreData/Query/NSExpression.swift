import Foundation

/// A value in a predicate: a constant, a key path, a function of other expressions, and so on.
///
/// An expression does not change once made.
///
/// > Threading: Immutable; any thread, as far as its constants are.
open class NSExpression: NSObject, NSSecureCoding, NSCopying, @unchecked Sendable {
    // @unchecked: immutable; constants that a client puts in are the client's care.

    /// The kind of an expression.
    public enum ExpressionType: UInt, Sendable {
        /// A constant.
        case constantValue = 0
        /// The object that the predicate is evaluated with: `SELF`.
        case evaluatedObject = 1
        /// A variable such as `$NAME`.
        case variable = 2
        /// A key path.
        case keyPath = 3
        /// A function of other expressions.
        case function = 4
        /// A union of two collections.
        case unionSet = 5
        /// An intersection of two collections.
        case intersectSet = 6
        /// A difference of two collections.
        case minusSet = 7
        /// The elements of a collection that satisfy a predicate.
        case subquery = 13
        /// A list of expressions.
        case aggregate = 14
        /// Any key: an expression of text indexes.
        case anyKey = 15
        /// A block of the client's.
        case block = 19
        /// One of two expressions, as a predicate decides.
        case conditional = 20
        /// What a fetch request finds; see ``NSFetchRequestExpression``.
        case fetchRequest = 50
    }

    let node: ExpressionNode

    init(_ node: ExpressionNode) {
        self.node = node
        super.init()
    }

    // MARK: Making

    /// Makes an expression for a type that needs nothing else.
    ///
    /// - Precondition: `type` is `evaluatedObject` or `anyKey`; other types have initializers of
    ///   their own.
    public init(expressionType type: ExpressionType) {
        switch type {
        case .evaluatedObject: node = .evaluatedObject
        case .anyKey: node = .anyKey
        case .constantValue: node = .constant(nil)
        default:
            fatalError(
                "NSExpression(expressionType:) can't make a \(type); use its own initializer."
            )
        }
        super.init()
    }

    /// Makes an expression for a constant.
    public convenience init(forConstantValue obj: Any?) {
        self.init(.constant(obj))
    }

    /// The expression for the object that a predicate is evaluated with.
    open class func expressionForEvaluatedObject() -> NSExpression {
        NSExpression(.evaluatedObject)
    }

    /// Makes an expression for a variable; the name goes without its dollar sign.
    public convenience init(forVariable string: String) {
        self.init(.variable(string))
    }

    /// Makes an expression for a key path from the evaluated object.
    public convenience init(forKeyPath keyPath: String) {
        self.init(
            // The same node as the parser makes of SELF, so that the two are equal and print alike.
            keyPath == "SELF" || keyPath == "self"
                ? .evaluatedObject : .keyPath(operand: nil, path: keyPath)
        )
    }

    /// Makes an expression for a Swift key path to a property of a generated class.
    ///
    /// - Precondition: The property's name is known: see the guide to generated classes.
    public convenience init<Root, Value>(forKeyPath keyPath: KeyPath<Root, Value>) {
        let name = KeyPathNames.requiredName(of: keyPath)
        self.init(forKeyPath: name)
    }

    /// Makes an expression for a function.
    ///
    /// - Parameters:
    ///   - name: A name such as `sum:` or `add:to:`, as format strings use them.
    ///   - parameters: Expressions; other values count as constants.
    /// - Precondition: The function is one of the known ones.
    public convenience init(forFunction name: String, arguments parameters: [Any]) {
        require(
            QueryFunction(rawValue: name) != nil,
            "Unable to parse function name '\(name)' into supported selector (\(name))."
        )
        self.init(.function(name: name, arguments: Self.expressions(parameters)))
    }

    /// Makes an expression for a function; the target becomes the first argument.
    ///
    /// - Precondition: The function is one of the known ones, or the target is a variable: what a
    ///   mapping model calls of its migration manager or policy, see `NSPropertyMapping`.
    public convenience init(
        forFunction target: NSExpression,
        selectorName name: String,
        arguments parameters: [Any]?
    ) {
        let arguments = [target] + Self.expressions(parameters ?? [])
        // Only what a variable is bound to may be called by any name: mapping models call their
        // migration manager so. All else is a function of the language.
        if case .variable = target.node {
            self.init(.function(name: name, arguments: arguments))
        } else {
            self.init(forFunction: name, arguments: arguments)
        }
    }

    /// Makes an expression for a list of expressions.
    public convenience init(forAggregate subexpressions: [NSExpression]) {
        self.init(.aggregate(subexpressions))
    }

    /// Makes an expression for what is in either of two collections.
    public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
        self.init(.setOperation(.union, left, right))
    }

    /// Makes an expression for what is in both of two collections.
    public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
        self.init(.setOperation(.intersect, left, right))
    }

    /// Makes an expression for what is in the first of two collections only.
    public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
        self.init(.setOperation(.minus, left, right))
    }

    /// Makes an expression for the elements of a collection that satisfy a predicate, which
    /// refers to the element by the variable.
    public convenience init(
        forSubquery expression: NSExpression,
        usingIteratorVariable variable: String,
        predicate: NSPredicate
    ) {
        self.init(
            .subquery(collection: expression, variable: variable, predicate: predicate)
        )
    }

    /// Makes an expression for one of two others.
    public convenience init(
        forConditional predicate: NSPredicate,
        trueExpression: NSExpression,
        falseExpression: NSExpression
    ) {
        self.init(.conditional(predicate, trueExpression, falseExpression))
    }

    /// Makes an expression that asks a block for its value. It can't be used in a SQLite fetch.
    public convenience init(
        block: @escaping (Any?, [NSExpression], NSMutableDictionary?) -> Any,
        arguments: [NSExpression]?
    ) {
        self.init(.block(block, arguments ?? []))
    }

    /// The expression for any key.
    open class func expressionForAnyKey() -> NSExpression { NSExpression(.anyKey) }

    static func expressions(_ values: [Any]) -> [NSExpression] {
        values.map { $0 as? NSExpression ?? NSExpression(.constant($0)) }
    }

    // MARK: Archiving

    /// True: an archive holds a format string and plain constants.
    open class var supportsSecureCoding: Bool { true }

    /// Reads an expression from an archive; nil, with an error, if it holds something else.
    public required init?(coder: NSCoder) {
        guard
            let expression: NSExpression = QueryArchive.read(
                from: coder,
                parsing: PredicateParser.expression
            )
        else { return nil }
        node = expression.node
        super.init()
    }

    /// Writes the expression to an archive.
    ///
    /// - Precondition: It has no blocks, and its constants are strings, numbers, dates, data,
    ///   UUIDs, URLs and collections of those.
    open func encode(with coder: NSCoder) {
        var printer = PredicatePrinter(collectsArguments: true)
        let format = printer.string(self)
        QueryArchive.write(format, printer, to: coder)
    }

    // MARK: Copying and comparing

    /// The expression itself: it does not change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another expression is made of the same parts.
    open override func isEqual(_ object: Any?) -> Bool {
        guard let other = object as? NSExpression else { return false }
        return self === other || QueryEquality.areEqual(self, other)
    }

    open override var hash: Int { QueryEquality.hash(of: self) }

    /// The expression as format strings write it.
    open override var description: String { PredicatePrinter.string(self) }
}
