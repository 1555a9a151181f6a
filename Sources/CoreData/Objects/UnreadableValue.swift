import Foundation

extension NSManagedObject {
    /// Posted when a transformable value that a store holds can't be read, and reads as nil.
    ///
    /// Not in Apple's framework. The object is the managed object, or nil for an
    /// element of a composite attribute; `userInfo` has the attribute's
    /// name for ``unreadableValueKey`` and the reason for ``unreadableValueReasonKey``. The bytes
    /// stay in the store until the attribute is set.
    ///
    /// > Threading: Posted on the queue of the object's context, by the access that found it.
    public static let unreadableValueNotification = Notification.Name(
        "CoreDataUnreadableValueNotification"
    )
    /// The key of the attribute's name, a `String`.
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
        NotificationCenter.default.post(
            name: NSManagedObject.unreadableValueNotification,
            object: object,
            userInfo: [
                NSManagedObject.unreadableValueKey: property.name,
                NSManagedObject.unreadableValueReasonKey: reason,
            ]
        )
    }
}
