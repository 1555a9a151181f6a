import Foundation

/// Lets go of object graphs without recursion: a chain of some ten thousand objects that each hold
/// the next one would overflow the stack if each `deinit` released the next.
///
/// > Threading: Each thread has its own list.
enum DeferredRelease {
    private final class List {
        var pending: [Unmanaged<AnyObject>] = []
        var isDraining = false
    }
    private static let lists = ThreadLocal { List() }

    /// Releases an object now, or after the release that is under way on this thread.
    ///
    /// - Parameter object: A retained reference, so that no variable of the caller's outlives it.
    static func release(_ object: Unmanaged<AnyObject>) {
        let list = lists.value
        list.pending.append(object)
        // The loop is further up this stack: to release here would be the recursion.
        guard !list.isDraining else { return }
        list.isDraining = true
        while !list.pending.isEmpty {
            // One at a time: each may add to the list.
            list.pending.removeLast().release()
        }
        list.isDraining = false
    }
}
