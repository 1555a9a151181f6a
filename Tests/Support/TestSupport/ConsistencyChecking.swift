import CoreData

extension NSManagedObjectContext {
    /// Has the context check itself, where it can and consistency is checked: this project's runtime
    /// then stops the program if the context shows what can't be.
    ///
    /// > Threading: On the context's queue.
    ///
    /// - Parameter isSettled: Whether all that others have saved is merged.
    public func checkConsistency(isSettled: Bool = true) {
        let answer: @Sendable () -> Bool = { isSettled }
        NotificationCenter.default.post(
            name: Notification.Name("COREDATA_CONSISTENCY_CHECK"),
            object: self,
            userInfo: ["isSettled": answer]
        )
    }
}
