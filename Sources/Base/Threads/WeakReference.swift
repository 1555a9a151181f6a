/// A weak reference that any thread may read; the object has a threading rule of its own.
package final class WeakReference<Object: AnyObject>: @unchecked Sendable {
    // @unchecked: never written after `init`, and the runtime makes reading a weak variable safe.
    package private(set) weak var object: Object?

    package init(_ object: Object) { self.object = object }
}
