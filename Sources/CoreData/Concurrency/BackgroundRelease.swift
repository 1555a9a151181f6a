import Dispatch

/// Lets go of many objects on a queue of its own.
///
/// An object that goes has its memory looked at, which is cold by then or another processor's. Who had
/// the last reference would wait for each.
///
/// > Threading: Any thread. The objects must be such that may end on any thread.
enum BackgroundRelease {
    /// To hand on fewer objects than this costs more than to let go of them.
    static let few = 64
    private static let queue = DispatchQueue(label: "CoreData.BackgroundRelease", qos: .utility)

    /// Has the queue call a closure that holds the objects, or lets go of them.
    static func end(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
