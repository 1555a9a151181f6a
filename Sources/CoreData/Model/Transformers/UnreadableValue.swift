import Foundation

/// Reports of values that can't be read.
enum UnreadableValue {
    /// The name and the keys of the notification, see `NSManagedObject.unreadableValueNotification`.
    static let notificationName = Notification.Name("CoreDataUnreadableValueNotification")
    static let key = "key", reasonKey = "reason"

    /// The attributes that the log has had a line about, since a table may have many such rows.
    private static let logged = Locked<Set<String>>([])

    static func report(
        _ reason: String,
        _ property: NSPropertyDescription,
        of object: Any?
    ) {
        let name = "\(property.declaringEntity?.name ?? "").\(property.name)"
        // Once for each attribute: a damaged table would fill the log with a line for each row.
        if logged.withLock({ $0.insert(name).inserted }) {
            let line =
                "CoreData: error: A stored value of \(name) can't be read and counts as nil, since "
                + "\(reason). Allow its class in the attribute's transformer, or set it anew. "
                + "Further values of the attribute are not logged.\n"
            FileHandle.standardError.write(Data(line.utf8))
        }
        post(reason, property.name, object)
    }

    /// Reports what a store failed to read, and will be asked for again.
    ///
    /// - Parameters:
    ///   - what: What could not be read, for the log, which has a line about each once.
    ///   - key: The property; nil for a whole row or list.
    static func report(_ error: any Error, reading what: String, key: String?, of object: Any?) {
        if logged.withLock({ $0.insert(what).inserted }) {
            let line =
                "CoreData: error: \(what) could not be read and counts as empty for now: \(error) "
                + "Further failures of it are not logged.\n"
            FileHandle.standardError.write(Data(line.utf8))
        }
        post("\(error)", key, object)
    }

    private static func post(_ reason: String, _ key: String?, _ object: Any?) {
        var info: [AnyHashable: Any] = [reasonKey: reason]
        if let key { info[Self.key] = key }
        NotificationCenter.default.post(
            name: notificationName,
            object: object,
            userInfo: info
        )
    }
}
