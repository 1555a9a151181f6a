import Foundation

/// Whether use of a context or its objects off the context's queue stops the program.
///
/// Switched on as with Apple's framework by the launch argument
/// `-com.apple.CoreData.ConcurrencyDebug 1`, or by `COREDATA_CONCURRENCY_DEBUG=1` in the
/// environment.
enum ConcurrencyDebug {
    static let isOn: Bool = {
        if let value = ProcessInfo.processInfo.environment["COREDATA_CONCURRENCY_DEBUG"] {
            return value != "0" && !value.isEmpty
        }
        let arguments = CommandLine.arguments
        guard let index = arguments.firstIndex(of: "-com.apple.CoreData.ConcurrencyDebug"),
            index + 1 < arguments.count
        else { return false }
        return arguments[index + 1] != "0"
    }()
}

extension NSManagedObjectContext {
    /// Traps off this context's queue, if concurrency debugging is on.
    ///
    /// Compares queues, not threads: under an `async` main on Linux, main-queue work runs off the
    /// main thread. What confinement contexts are used from is not known here.
    @inline(__always) func checkQueue(_ member: StaticString = #function) {
        if ConcurrencyDebug.isOn { stopOffQueue(member) }
    }

    @inline(never) private func stopOffQueue(_ member: StaticString) {
        guard let queue else { return }
        precondition(
            ThreadPlaces.isInside(queue),
            "__Multithreading_Violation_AllThatIsLeftToUsIsHonor__: \(member) of \(self) or one of "
                + "its objects was called off the context's queue; call it inside perform(_:) or "
                + "performAndWait(_:)."
        )
    }
}
