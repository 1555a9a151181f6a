import CoreData

/// Asks the main context to check itself where everything is merged.
///
/// The runtime of this package does so under `COREDATA_CONSISTENCY_CHECK=1`, or with the launch
/// argument `-com.apple.CoreData.ConsistencyCheck 1`; nothing else observes the notification.
enum ConsistencyRequest {
    private static let name = Notification.Name("COREDATA_CONSISTENCY_CHECK")

    static let isOn = isAsked(CommandLine.arguments, ProcessInfo.processInfo.environment)

    /// Whether a program's arguments and environment switch the check on.
    static func isAsked(_ arguments: [String], _ environment: [String: String]) -> Bool {
        if let value = environment["COREDATA_CONSISTENCY_CHECK"] {
            return value != "0" && !value.isEmpty
        }
        guard let index = arguments.firstIndex(of: "-com.apple.CoreData.ConsistencyCheck"),
            index + 1 < arguments.count
        else { return false }
        return arguments[index + 1] != "0"
    }

    /// Announces that saves are merged from now on; earlier ones are not looked for.
    static func begin(_ main: NSManagedObjectContext) {
        guard isOn else { return }
        NotificationCenter.default.post(name: name, object: main, userInfo: ["begins": true])
    }

    /// > Threading: On the main queue.
    ///
    /// - Parameter isSettled: Whether all that has been posted is merged.
    static func post(_ main: NSManagedObjectContext, isSettled: @escaping @Sendable () -> Bool) {
        NotificationCenter.default.post(
            name: name,
            object: main,
            userInfo: ["isSettled": isSettled]
        )
    }
}

extension MergeQueue {
    /// Has the main context checked, if everything is merged.
    ///
    /// > Threading: On the main queue.
    func checkConsistency() {
        guard ConsistencyRequest.isOn, isAllMerged, let main = merging.mainContext else { return }
        ConsistencyRequest.post(main) { [self] in isAllMerged }
    }

    /// Whether no save is queued or in flight, and none was excluded.
    private var isAllMerged: Bool {
        state.withLock { state in
            state.waiting.isEmpty && !state.isMerging && !state.isMainSaving && !state.isInvalidated
                // What an excluded context has saved is never merged: the main context is rightly
                // behind.
                && state.statistics.droppedCounts[.excluded] == nil
        }
    }
}
