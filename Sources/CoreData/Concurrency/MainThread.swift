import CSwiftRuntime
import Foundation

/// What the system says of the process's main thread.
enum MainThread {
    /// The system's file that has the thread's state; -1 where there is none. It stays open, for to open
    /// it takes as long as to read it.
    private static let stateFile = open("/proc/self/task/\(getpid())/stat", O_RDONLY | O_CLOEXEC)
    /// More than the fields of such a file take.
    private static let capacity = 1024

    /// Whether the main thread waits for the processor that the caller has, which is another thread.
    ///
    /// False where the system does not say. Under `dispatchMain()` the main queue has left the main
    /// thread, which sleeps from then on.
    ///
    /// > Threading: Any other thread. Takes some microseconds: the system is asked.
    static var isWaitingForThisProcessor: Bool {
        // It can't run where the caller does.
        runnableOn == Int(system_currentProcessor())
    }

    /// The processor on which the main thread runs, or for which it waits; nil while it sleeps.
    static var runnableOn: Int? {
        withUnsafeTemporaryAllocation(byteCount: capacity, alignment: 1) { buffer in
            let count = pread(stateFile, buffer.baseAddress, buffer.count, 0)
            guard count > 0 else { return nil }
            return processor(ofRunnable: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    /// The processor of a thread that runs or waits for it, in the text of its file; nil in other states.
    ///
    /// Source: proc_pid_stat(5). A number, the program's name in parentheses, the state, which is the
    /// third of the fields; the processor is the 39th.
    static func processor(ofRunnable stat: UnsafeRawBufferPointer) -> Int? {
        // The last one, for a name may have parentheses of its own. What follows are numbers.
        guard let end = stat.lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let space = UInt8(ascii: " ")
        // The state and all up to the processor; what lies behind it stays in one piece.
        let fields = stat[(end + 1)...].split(separator: space, maxSplits: 37)
        guard fields.count > 36, fields[0].elementsEqual("R".utf8) else { return nil }
        return Int(String(decoding: fields[36], as: UTF8.self))
    }
}
