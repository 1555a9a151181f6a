import Foundation

/// One change of one object, in a transaction of a store's history.
///
/// > Threading: Immutable; any thread.
open class NSPersistentHistoryChange: NSObject, NSCopying, KeyValueCoding, @unchecked Sendable {
    // @unchecked: `owner` is set once, before anyone else has the change.

    /// The number of the change in its store.
    open private(set) var changeID: Int64
    /// The object.
    open private(set) var changedObjectID: NSManagedObjectID
    /// What happened to it.
    open private(set) var changeType: NSPersistentHistoryChangeType
    /// The values of a deleted object's attributes that are preserved after deletion, by name; nil
    /// if there are none.
    open private(set) var tombstone: [AnyHashable: Any]?
    /// The properties that an update changed; nil for other changes.
    open private(set) var updatedProperties: Set<NSPropertyDescription>?
    // Weak, since the transaction holds its changes.
    private weak var owner: NSPersistentHistoryTransaction?

    /// Makes an insertion of nothing: for subclasses that stand for a change in tests.
    override public init() {
        changeID = 0
        changedObjectID = NSManagedObjectID()
        changeType = .insert
        super.init()
    }

    init(_ change: HistoryRecord.Change, id: NSManagedObjectID, layout: EntityLayout) {
        changeID = change.number
        changedObjectID = id
        changeType = change.type
        tombstone = change.tombstone.isEmpty ? nil : change.tombstone
        updatedProperties =
            change.type == .update
            ? Set(layout.slots.map(\.property).filter { change.properties.contains($0.name) }) : nil
        super.init()
    }

    /// The transaction, for as long as someone holds it; nil where only changes were asked for.
    open var transaction: NSPersistentHistoryTransaction? { owner }

    func belong(to transaction: NSPersistentHistoryTransaction) { owner = transaction }

    /// The entity of changes, for requests that pick some of them.
    open class var entityDescription: NSEntityDescription? { HistoryEntities.change }
    /// The entity of changes, for requests that pick some of them.
    @discardableResult
    open class func entityDescription(with context: NSManagedObjectContext) -> NSEntityDescription?
    { entityDescription }
    /// A request for changes: give it a predicate, and give it to a history request.
    open class var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
        HistoryEntities.request(for: entityDescription)
    }

    /// The change itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The value for the name of one of this class's properties, or `changedEntity`; nil for
    /// others.
    open func value(forKey key: String) -> Any? {
        switch key {
        case "changeID": changeID
        case "changedObjectID": changedObjectID
        case "changeType": changeType.rawValue
        // By name, since a request's predicate has names in place of the descriptions that it was
        // given.
        case "changedEntity": changedObjectID.entity.name
        case "tombstone": tombstone
        case "transaction": transaction
        case "updatedProperties": updatedProperties
        default: nil
        }
    }

    /// Does nothing: changes can't be changed.
    open func setValue(_ value: Any?, forKey key: String) {}

    open override var description: String {
        "<NSPersistentHistoryChange: \(changeID) \(changedObjectID) \(changeType)>"
    }
}
