import CoreData

/// How a workload reads and writes managed objects.
protocol ItemAccess: Sendable {
    /// What the entities' objects are, by entity name; nil for plain managed objects.
    func objectClass(_ entity: String) -> NSManagedObject.Type?
    /// Gives every attribute of a new object its value.
    func write(_ item: Item, to object: NSManagedObject)
    /// Gives an item another number and name.
    func rename(_ object: NSManagedObject, number: Int64, name: String)
    /// The number of an item.
    func number(_ object: NSManagedObject) -> Int64
    /// Adds every value of an item.
    func addItem(_ object: NSManagedObject, to sum: inout ValueSum)
    /// Adds every value of a parent and of its children.
    func addFamily(_ parent: NSManagedObject, to sum: inout ValueSum)
}

/// Key-value access, which boxes each value.
struct KeyedAccess: ItemAccess {
    func objectClass(_ entity: String) -> NSManagedObject.Type? { nil }

    func write(_ item: Item, to object: NSManagedObject) { item.write(to: object) }

    func rename(_ object: NSManagedObject, number: Int64, name: String) {
        object.setValue(number, forKey: "number")
        object.setValue(name, forKey: "name")
    }

    func number(_ object: NSManagedObject) -> Int64 { object.integer("number") }

    func addItem(_ object: NSManagedObject, to sum: inout ValueSum) {
        for key in ["number", "category", "score", "code"] { sum.add(object.integer(key)) }
        for key in ["ratio", "amount"] { sum.add(object.real(key)) }
        for key in ["name", "mail", "text"] { sum.add(object.text(key)) }
        sum.add((object.value(forKey: "date") as? Date)?.timeIntervalSinceReferenceDate ?? 0)
    }

    func addFamily(_ parent: NSManagedObject, to sum: inout ValueSum) {
        sum.add(parent.text("name"))
        for child in parent.value(forKey: "children") as? Set<NSManagedObject> ?? [] {
            sum.add(child.integer("number"))
            sum.add(child.real("amount"))
            sum.add(child.text("text"))
        }
    }
}

/// The properties of entity classes of this module, through the accessors that the plugin generates.
struct TypedAccess: ItemAccess {
    func objectClass(_ entity: String) -> NSManagedObject.Type? {
        switch entity {
        case "Item": TypedItem.self
        case "Parent": TypedParent.self
        case "Child": TypedChild.self
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
        let parent = unsafeDowncast(parent, to: TypedParent.self)
        sum.add(parent.name ?? "")
        for child in parent.children {
            sum.add(child.number)
            sum.add(child.amount)
            sum.add(child.text ?? "")
        }
    }

    /// The model names the class, so that a fetch for it would return it.
    private func typed(_ object: NSManagedObject) -> TypedItem {
        unsafeDowncast(object, to: TypedItem.self)
    }
}
