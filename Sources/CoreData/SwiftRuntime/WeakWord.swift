import CSwiftRuntime

/// Weak references that cost a word: the owner of the word clears it, under a lock, when the
/// object goes, and `tryRetain` refuses an object that is going already.
///
/// A `weak` variable costs an allocation for each object; a context has one for each registered
/// object, and a row cache one for each row.
enum WeakWord {
    /// Retains the object unless its `deinit` has begun: what `weak` itself stands on. The caller
    /// owns the retain.
    @inline(__always) static func tryRetain(_ object: UnsafeRawPointer) -> Bool {
        runtime_tryRetain(object) != nil
    }

    /// The word for an object.
    @inline(__always) static func word(_ object: AnyObject) -> UInt {
        UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    }

    /// The object behind a word, or nil if it is going.
    @inline(__always) static func object<Object: AnyObject>(
        _ word: UInt,
        as type: Object.Type
    ) -> Object? {
        guard let pointer = UnsafeRawPointer(bitPattern: word), tryRetain(pointer) else {
            return nil
        }
        return Unmanaged<Object>.fromOpaque(pointer).takeRetainedValue()
    }
}
