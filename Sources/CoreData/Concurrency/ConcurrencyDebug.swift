import Foundation

/// Whether use of a context or its objects off the context's queue stops the program.
///
/// Switched on as with Apple's framework by the launch argument
/// `-com.apple.CoreData.ConcurrencyDebug 1`, or by `COREDATA_CONCURRENCY_DEBUG=1` in the
/// environment.
enum ConcurrencyDebug {
    // Asked once for the process, since each access to an object tests it.
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
