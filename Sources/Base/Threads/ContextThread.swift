import Foundation

/// A thread for a context of confinement type.
package enum ContextThread {
    /// Runs a block on a thread of its own, with a stack as large as the main thread's.
    package static func start(name: String?, _ block: @escaping @Sendable () -> Void) {
        let thread = Thread(block: block)
        thread.name = name
        // Other threads have 512 KB on Apple's platforms; work may recurse deeper.
        thread.stackSize = 8 << 20
        thread.qualityOfService = .utility
        thread.start()
    }
}
