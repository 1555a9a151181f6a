import Foundation

extension NSManagedObject {
    /// Posted when something that a store holds can't be read, and reads as nil or empty.
    ///
    /// Not in Apple's framework. The object is the managed object, or nil for an
    /// element of a composite attribute; `userInfo` has the property's
    /// name for ``unreadableValueKey`` and the reason for ``unreadableValueReasonKey``. The bytes
    /// of a transformable attribute stay in the store until the attribute is set.
    ///
    /// A row, a relationship or a fetched property that the store failed to read is read again by
    /// the next access. For a row the name is missing; for the list of a results controller, which
    /// is then kept up to date by what the context knows, the object is its context.
    ///
    /// > Threading: Posted on the queue of the object's context, by the access that found it.
    public static let unreadableValueNotification = Notification.Name(
        "CoreDataUnreadableValueNotification"
    )
    /// The key of the property's name, a `String`.
    public static let unreadableValueKey = "key"
    /// The key of the reason, a `String`: what is wrong with the bytes, never what they hold.
    public static let unreadableValueReasonKey = "reason"
}

/// Reports of values that can't be read.
enum UnreadableValue {
    /// The attributes that the log has had a line about, since a table may have many such rows.
    private static let logged = Locked<Set<String>>([])

    static func report(
        _ reason: String,
        _ property: NSPropertyDescription,
        of object: NSManagedObject?
    ) {
        let name = "\(property.declaringEntity?.name ?? "").\(property.name)"
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
        var info: [AnyHashable: Any] = [NSManagedObject.unreadableValueReasonKey: reason]
        if let key { info[NSManagedObject.unreadableValueKey] = key }
        NotificationCenter.default.post(
            name: NSManagedObject.unreadableValueNotification,
            object: object,
            userInfo: info
        )
    }
}
