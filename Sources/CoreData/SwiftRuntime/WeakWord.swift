import CSwiftRuntime

/// Weak references that cost a word: the owner of the word clears it, under a lock, when the
/// object goes, and `tryRetain` refuses an object that is going already.
///
/// A `weak` variable costs an allocation for each object; a context has one for each registered
/// object, and a row cache one for each row.
///
/// Assumes that `swift_tryRetain` retains an object and gives it back, and gives null once its
/// `deinit` has begun. Without that there would be references to freed memory, so the first map of
/// words stops the program, see `checked`.
enum WeakWord {
    /// Tries the assumption, once; who keeps words asks for it before the first.
    static let checked: Void = RuntimeAssumption.require(
        isAsExpected,
        "refuse to retain an object that is going"
    )

    private final class Outcome {
        var isRefused = false
    }
    private final class Probe {
        let outcome: Outcome
        init(_ outcome: Outcome) { self.outcome = outcome }
        // Here the object is going but still there: the one moment that matters.
        deinit {
            outcome.isRefused = !tryRetain(Unmanaged.passUnretained(self).toOpaque())
        }
    }

    private static var isAsExpected: Bool {
        let outcome = Outcome()
        let isRetained: Bool
        do {
            // It ends with this scope, and its `deinit` has tried the refusal before the result is
            // read.
            let probe = Probe(outcome)
            isRetained = object(word(probe), as: Probe.self) === probe
        }
        return isRetained && outcome.isRefused
    }

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
