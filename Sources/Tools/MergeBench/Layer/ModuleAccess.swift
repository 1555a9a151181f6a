import BenchClasses
import CoreData

/// The properties of entity classes of another module, where an app has them.
///
/// Written out beside ``TypedAccess``, which does the same with classes of this module: calls by way
/// of a protocol would measure the protocol.
struct ModuleAccess: ItemAccess {
    func objectClass(_ entity: String) -> NSManagedObject.Type? {
        switch entity {
        case "Item": StoredItem.self
        case "Parent": StoredParent.self
        case "Child": StoredChild.self
        default: nil
        }
    }

    func write(_ item: Item, to object: NSManagedObject) {
        let object = typed(object)
        object.number = item.number
        object.category = item.category
        object.score = item.score
        object.code = item.code
        object.ratio = item.ratio
        object.amount = item.amount
        object.name = item.name
        object.mail = item.mail
        object.text = item.text
        object.date = Date(timeIntervalSinceReferenceDate: item.date)
    }

    func rename(_ object: NSManagedObject, number: Int64, name: String) {
        let object = typed(object)
        object.number = number
        object.name = name
    }

    func number(_ object: NSManagedObject) -> Int64 { typed(object).number }

    func addItem(_ object: NSManagedObject, to sum: inout ValueSum) {
        let object = typed(object)
        sum.add(object.number)
        sum.add(object.category)
        sum.add(object.score)
        sum.add(object.code)
        sum.add(object.ratio)
        sum.add(object.amount)
        sum.add(object.name ?? "")
        sum.add(object.mail ?? "")
        sum.add(object.text ?? "")
        sum.add(object.date?.timeIntervalSinceReferenceDate ?? 0)
    }

    func addFamily(_ parent: NSManagedObject, to sum: inout ValueSum) {
        let parent = unsafeDowncast(parent, to: StoredParent.self)
        sum.add(parent.name ?? "")
        for child in parent.children {
            sum.add(child.number)
            sum.add(child.amount)
            sum.add(child.text ?? "")
        }
    }

    /// The model names the class, so that a fetch for it would return it.
    private func typed(_ object: NSManagedObject) -> StoredItem {
        unsafeDowncast(object, to: StoredItem.self)
    }
}
