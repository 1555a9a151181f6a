import Foundation

/// What array literals for `NSSet` are declared on: Foundation has them on Apple's platforms only,
/// and an extension of an open class can't declare the initializer that they need.
public protocol ArrayLiteralSet {}

extension NSSet: ArrayLiteralSet {}

extension ArrayLiteralSet where Self: NSSet {
    /// A set of the elements of an array literal.
    ///
    /// It can be changed whatever the literal's type is: for `NSMutableSet`, too, the compiler calls
    /// this as the initializer of `NSSet`.
    public init(arrayLiteral elements: Any...) {
        guard let set = NSMutableSet(array: elements) as? Self else {
            fatalError("\(Self.self) can't be made of an array literal.")
        }
        self = set
    }
}

extension NSSet: @retroactive ExpressibleByArrayLiteral {
    public typealias ArrayLiteralElement = Any
}
