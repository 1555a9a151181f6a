import CoreData

/// Items as managed objects, by key-value access.
extension Item {
    /// Gives every attribute of an object its value.
    func write(to object: NSManagedObject) {
        object.setValue(number, forKey: "number")
        object.setValue(category, forKey: "category")
        object.setValue(score, forKey: "score")
        object.setValue(code, forKey: "code")
        object.setValue(ratio, forKey: "ratio")
        object.setValue(amount, forKey: "amount")
        object.setValue(name, forKey: "name")
        object.setValue(mail, forKey: "mail")
        object.setValue(text, forKey: "text")
        object.setValue(Date(timeIntervalSinceReferenceDate: date), forKey: "date")
    }

    /// Gives an object what differs from an earlier state.
    func write(to object: NSManagedObject, changedFrom earlier: Item) {
        if score != earlier.score { object.setValue(score, forKey: "score") }
        if name != earlier.name { object.setValue(name, forKey: "name") }
        if text != earlier.text { object.setValue(text, forKey: "text") }
    }
}

extension NSManagedObject {
    /// The value of an integer attribute; 0 if there is none.
    func integer(_ key: String) -> Int64 { value(forKey: key) as? Int64 ?? 0 }

    /// The value of a real attribute; 0 if there is none.
    func real(_ key: String) -> Double { value(forKey: key) as? Double ?? 0 }

    /// The value of a text attribute; empty if there is none.
    func text(_ key: String) -> String { value(forKey: key) as? String ?? "" }
}
