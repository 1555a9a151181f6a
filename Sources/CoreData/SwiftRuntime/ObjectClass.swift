/// The class of an object, and the class above a class, as the words of memory that hold them.
///
/// An object begins with its class, and the second word of a class is its superclass
/// (docs/ABI/TypeMetadata.rst of the Swift project).
enum ObjectClass {
    /// Makes an object an instance of another class of the same layout.
    static func set(_ type: AnyClass, of object: AnyObject) {
        Unmanaged.passUnretained(object).toOpaque()
            .assumingMemoryBound(to: AnyClass.self).pointee = type
    }

    /// Puts a class beneath another one of the same layout.
    static func setSuperclass(of type: AnyClass, to superclass: AnyClass) {
        unsafeBitCast(type, to: UnsafeMutablePointer<AnyClass>.self)[1] = superclass
    }

    /// The same object as one of another class of the same layout.
    static func retyped<Object: AnyObject>(_ object: AnyObject, as type: Object.Type) -> Object {
        let address = Unmanaged.passUnretained(object).toOpaque()
        return Unmanaged<Object>.fromOpaque(address).takeUnretainedValue()
    }
}
