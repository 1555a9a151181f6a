import MergeStack
import Threads

/// Values that several threads append to.
package final class Log<Value: Sendable>: Sendable {
    private let entries = Guarded<[Value]>([])

    package init() {}

    package var all: [Value] { entries.withLock { $0 } }
    package func append(_ value: Value) { entries.withLock { $0.append(value) } }
}
