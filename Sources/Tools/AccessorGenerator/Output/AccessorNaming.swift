/// What the names of `@NSManaged` functions mean.
enum AccessorNaming {
    /// The function's name as module `CoreData` looks for it: the base name, and after a colon each
    /// further label. A selector, if there is one, tells more than the Swift name.
    ///
    /// - Throws: ``GeneratorError`` for a name that no accessor has.
    static func key(of function: ManagedFunction, in declaration: Declaration) throws -> String {
        let key: String
        if let selector = function.prefix.selector {
            // The last colon goes, so that a selector gives what a Swift name with the same labels
            // does.
            key = selector.split(separator: ":").joined(separator: ":")
        } else {
            key = ([function.name] + function.parameters.map(\.label).filter { $0 != "_" })
                .joined(separator: ":")
        }
        let prefixes = [
            "add", "remove", "insert", "replace", "intersect", "countOf", "primitive",
            "setPrimitive",
        ]
        // While the program runs, such a function would be found out only by calling it.
        guard prefixes.contains(where: key.hasPrefix) || function.returnType != nil else {
            throw GeneratorError(
                declaration.file.path,
                function.line,
                column: function.column,
                "the @NSManaged function \(function.name) is none of Core Data's accessors: name it "
                    + "as Xcode does (addToItems, removeFromItems, insertIntoItems, replaceItems), or "
                    + "give it a body"
            )
        }
        return key
    }
}
