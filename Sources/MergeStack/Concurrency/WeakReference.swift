/// A weak reference that may be read on any thread; what is behind it may not.
final class WeakReference<Object: AnyObject>: @unchecked Sendable {
    // @unchecked: never written after `init`, and the runtime makes reading a weak variable safe.
    private(set) weak var object: Object?

    init(_ object: Object) { self.object = object }
}
