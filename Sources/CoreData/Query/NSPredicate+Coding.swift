import Foundation

// Foundation's predicates can't be archived here. A conformance of ours, with its initializer in a
// protocol extension, gives it to all of them.

extension NSPredicate: @retroactive NSSecureCoding {
    /// True: an archive holds a format string and plain constants.
    public static var supportsSecureCoding: Bool { true }

    /// Writes the predicate to an archive.
    ///
    /// - Precondition: It has no blocks, and its constants are strings, numbers, dates, data,
    ///   UUIDs, URLs and collections of those.
    public func encode(with coder: NSCoder) {
        var printer = PredicatePrinter(collectsArguments: true)
        let format = printer.string(self)
        QueryArchive.write(format, printer, to: coder)
    }
}

extension PredicateFormat where Self: NSPredicate {
    /// Reads a predicate from an archive; nil, with the coder's error set, if it holds something
    /// else.
    public init?(coder: NSCoder) {
        guard
            let predicate = QueryArchive.read(from: coder, parsing: PredicateParser.predicate)
        else { return nil }
        guard let read = predicate as? Self else {
            coder.failWithError(CocoaError(.coderReadCorrupt))
            return nil
        }
        self = read
    }
}

extension NSPredicate {
    /// Whether two predicates are made of the same parts.
    ///
    /// `isEqual` of the compound predicates that Foundation's initializers make can't be replaced,
    /// and finds all of them equal; this operator does not ask it.
    public static func == (left: NSPredicate, right: NSPredicate) -> Bool {
        // An extension can't override `isEqual`, so operators of our own compare what predicates of
        // Foundation's classes say.
        left === right || QueryEquality.areEqual(left, right)
    }

    /// Whether two predicates differ in a part.
    public static func != (left: NSPredicate, right: NSPredicate) -> Bool { !(left == right) }
}
