/// A value that only the main queue touches, carried across the threads that wait for it.
final class MainQueueBox<Value>: @unchecked Sendable {
    // @unchecked: `value` is touched on the main queue only.
    var value: Value

    init(_ value: Value) { self.value = value }
}
