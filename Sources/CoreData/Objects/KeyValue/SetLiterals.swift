import Foundation

/// Gives `NSSet` the array literals that Foundation lacks here, so that
/// `person.addToCars([first, second])` compiles.
public protocol SetLiteral: ExpressibleByArrayLiteral {}

extension NSSet: @retroactive ExpressibleByArrayLiteral, SetLiteral {}

extension SetLiteral where Self: NSSet {
    /// Makes a set of a literal's elements.
    ///
    /// Its body is that of ``_make(arrayLiteral:)``, which is called alike, and which knows the
    /// dynamic class: the compiler takes `Self` for `NSSet` in literals of subclasses.
    @_silgen_name("coredata_set_literal")
    public init(arrayLiteral elements: Any...)

    /// What `init(arrayLiteral:)` does; not for clients.
    @_silgen_name("coredata_set_literal")
    public static func _make(arrayLiteral elements: __owned [Any]) -> Self {
        let set = self is NSMutableSet.Type ? NSMutableSet(array: elements) : NSSet(array: elements)
        guard let literal = set as? Self else {
            preconditionFailure("A literal is an NSSet or NSMutableSet, but not a \(self).")
        }
        return literal
    }
}
