import CoreData
import Foundation

/// Calls of objects.
extension QueueCall {
    static let ofObjects: [QueueCall] = [
        QueueCall("isInserted") { _ = $0.item.isInserted },
        QueueCall("isUpdated") { _ = $0.item.isUpdated },
        QueueCall("isDeleted") { _ = $0.item.isDeleted },
        QueueCall("hasChanges of an object", told: "hasChanges") { _ = $0.item.hasChanges },
        QueueCall("isFault") { _ = $0.item.isFault },
        QueueCall("faultingState") { _ = $0.item.faultingState },
        QueueCall("hasPersistentChangedValues") { _ = $0.item.hasPersistentChangedValues },
        QueueCall("changedValues()") { $0.item.changedValues() },
        QueueCall("changedValuesForCurrentEvent()") { $0.item.changedValuesForCurrentEvent() },
        QueueCall("committedValues(forKeys:)") { $0.item.committedValues(forKeys: nil) },
        QueueCall("description", told: "value(forKey:)") { _ = $0.item.description },
        QueueCall("hasFault(forRelationshipNamed:)") {
            $0.item.hasFault(forRelationshipNamed: "tags")
        },
        QueueCall("objectIDs(forRelationshipNamed:)") {
            $0.item.objectIDs(forRelationshipNamed: "tags")
        },
        QueueCall("validateValue(_:forKey:)") {
            var value: Any? = "another"
            try $0.item.validateValue(&value, forKey: "name")
        },
        QueueCall("validateForInsert()") { try $0.item.validateForInsert() },
        QueueCall("validateForUpdate()") { try $0.item.validateForUpdate() },
        QueueCall("validateForDelete()") { try $0.item.validateForDelete() },
        QueueCall("addObserver(_:forKeyPath:options:context:)") { setting in
            let observer = QueueObserver()
            setting.item.addObserver(observer, forKeyPath: "name", options: [], context: nil)
            setting.item.removeObserver(observer, forKeyPath: "name")
        },
    ]

    static let ofValues: [QueueCall] = [
        QueueCall("value(forKey:)") { _ = $0.item.value(forKey: "name") },
        QueueCall("value(forKey:) of a fault", told: "value(forKey:)") {
            _ = $0.fault.value(forKey: "name")
        },
        QueueCall("value(forKey:) of a relationship to one", told: "value(forKey:)") {
            _ = $0.item.value(forKey: "owner")
        },
        QueueCall("value(forKey:) of a relationship to many", told: "value(forKey:)") {
            _ = $0.item.value(forKey: "tags")
        },
        QueueCall("value(forKeyPath:)", told: "value(forKey:)") {
            _ = $0.item.value(forKeyPath: "owner.name")
        },
        QueueCall("value by subscript", told: "value(forKey:)") { _ = $0.item["name"] },
        QueueCall("setValue(_:forKey:)") { $0.item.setValue("new", forKey: "name") },
        QueueCall("setValue(_:forKey:) again", told: "setValue(_:forKey:)") {
            $0.inserted.setValue("new", forKey: "name")
        },
        QueueCall("setValue(_:forKey:) of a relationship to one", told: "setValue(_:forKey:)") {
            $0.item.setValue(nil, forKey: "owner")
        },
        QueueCall("setValue(_:forKey:) of a relationship to many", told: "setValue(_:forKey:)") {
            $0.item.setValue(NSSet(), forKey: "tags")
        },
        QueueCall("primitiveValue(forKey:)") { _ = $0.item.primitiveValue(forKey: "name") },
        QueueCall("setPrimitiveValue(_:forKey:)") {
            $0.item.setPrimitiveValue("new", forKey: "name")
        },
        QueueCall("willAccessValue(forKey:)") { $0.item.willAccessValue(forKey: "name") },
        QueueCall("willChangeValue(forKey:)") { $0.item.willChangeValue(forKey: "name") },
        QueueCall("didChangeValue(forKey:)") { $0.item.didChangeValue(forKey: "name") },
        QueueCall("a predicate over an object", told: "value(forKey:)") {
            _ = NSPredicate(format: "name == 'x'").evaluate(with: $0.item)
        },
        QueueCall("a predicate over a relationship", told: "value(forKey:)") {
            _ = NSPredicate(format: "ANY tags.name == 'x'").evaluate(with: $0.item)
        },
    ]

    static let ofCollections: [QueueCall] = [
        QueueCall("mutableSetValue(forKey:)") { _ = $0.item.mutableSetValue(forKey: "tags") },
        QueueCall("mutableOrderedSetValue(forKey:)") {
            _ = $0.list.mutableOrderedSetValue(forKey: "entries")
        },
        QueueCall("the count of a set", told: "mutableSetValue(forKey:)") { _ = $0.tags.count },
        QueueCall("a member of a set", told: "mutableSetValue(forKey:)") {
            _ = $0.tags.contains($0.item)
        },
        QueueCall("adding to a set", told: "mutableSetValue(forKey:)") { setting in
            if let any = setting.tags.anyObject() { setting.tags.add(any) }
        },
        QueueCall("emptying a set", told: "mutableSetValue(forKey:)") {
            $0.tags.removeAllObjects()
        },
        QueueCall("the count of an ordered set", told: "mutableOrderedSetValue(forKey:)") {
            _ = $0.entries.count
        },
        QueueCall("an object of an ordered set", told: "mutableOrderedSetValue(forKey:)") {
            _ = $0.entries.object(at: 0)
        },
        QueueCall("removing from an ordered set", told: "mutableOrderedSetValue(forKey:)") {
            $0.entries.removeObject(at: 0)
        },
    ]
}

private final class QueueObserver: NSObject, KeyValueObserver {
    func observeValue(
        forKeyPath keyPath: String?,
        of object: Any?,
        change: [NSKeyValueChangeKey: Any]?,
        context: UnsafeMutableRawPointer?
    ) {}
}
