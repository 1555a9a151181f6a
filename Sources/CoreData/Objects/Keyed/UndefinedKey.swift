/// What a program that asks for a key that neither the model nor the class has is stopped with.
enum UndefinedKey {
    static func message(_ key: String, of object: NSManagedObject) -> String {
        let sentence =
            "The entity \(object.layout.name) is not key value coding-compliant for the key "
            + "\"\(key)\"."
        let type = type(of: object)
        // So Swift writes the name of what only one file sees.
        guard String(reflecting: type).contains("(unknown context at ") else { return sentence }
        return sentence
            + " The class \(type) is private to its file, so key-value access does not find what it "
            + "declares in Swift: make it internal."
    }
}
