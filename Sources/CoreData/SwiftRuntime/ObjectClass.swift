/// The class of an object, and the class above a class, as the words of memory that hold them.
///
/// Serves casts between generic classes of other parameters, see `RequestClasses`, and objects that take
/// the class of their entity. Assumes that an object begins with its class and that the second word of a
/// class is its superclass (docs/ABI/TypeMetadata.rst of the Swift project); tried on two classes at
/// first use. Where it is otherwise nothing is changed, and such casts fail as Swift's do.
enum ObjectClass {
    /// Makes an object an instance of another class of the same layout.
    ///
    /// - Returns: Whether that was done.
    @discardableResult
    static func set(_ type: AnyClass, of object: AnyObject) -> Bool {
        guard isAsExpected else { return false }
        classWord(of: object).pointee = type
        return true
    }

    /// Puts a class beneath another one of the same layout.
    static func setSuperclass(of type: AnyClass, to superclass: AnyClass) {
        guard isAsExpected else { return }
        superclassWord(of: type).pointee = superclass
    }

    /// The class above a class; nil if there is none, or it can't be told.
    static func superclass(of type: AnyClass) -> AnyClass? {
        guard isAsExpected else { return nil }
        let word = UnsafeRawPointer(superclassWord(of: type)).load(as: UInt.self)
        return word == 0 ? nil : superclassWord(of: type).pointee
    }

    /// Whether a class is beneath another one, at any distance.
    static func isClass(_ type: AnyClass, below other: AnyClass) -> Bool {
        var current: AnyClass? = superclass(of: type)
        while let present = current {
            if present == other { return true }
            current = superclass(of: present)
        }
        return false
    }

    /// The same object as one of another class of the same layout.
    static func retyped<Object: AnyObject>(_ object: AnyObject, as type: Object.Type) -> Object {
        let address = Unmanaged.passUnretained(object).toOpaque()
        return Unmanaged<Object>.fromOpaque(address).takeUnretainedValue()
    }

    // MARK: The words

    private static func classWord(of object: AnyObject) -> UnsafeMutablePointer<AnyClass> {
        Unmanaged.passUnretained(object).toOpaque().assumingMemoryBound(to: AnyClass.self)
    }

    private static func superclassWord(of type: AnyClass) -> UnsafeMutablePointer<AnyClass> {
        unsafeBitCast(type, to: UnsafeMutablePointer<AnyClass>.self) + 1
    }

    private class Upper {}
    private final class Lower: Upper {}

    /// Whether the words are where they are expected to be. Read as numbers, so that nothing else
    /// is taken for a class.
    private static let isAsExpected: Bool = {
        func number(_ type: AnyClass) -> UInt { unsafeBitCast(type, to: UInt.self) }
        func content(_ word: UnsafeMutablePointer<AnyClass>) -> UInt {
            UnsafeRawPointer(word).load(as: UInt.self)
        }
        let object = Lower()
        return withExtendedLifetime(object) {
            content(classWord(of: object)) == number(Lower.self)
                && content(superclassWord(of: Lower.self)) == number(Upper.self)
        }
    }()
}
