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
    public static let unreadableValueNotification = UnreadableValue.notificationName
    /// The key of the property's name, a `String`.
    public static let unreadableValueKey = UnreadableValue.key
    /// The key of the reason, a `String`: what is wrong with the bytes, never what they hold.
    public static let unreadableValueReasonKey = UnreadableValue.reasonKey
}
