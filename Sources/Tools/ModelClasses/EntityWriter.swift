/// Writes the class of one entity.
struct EntityWriter {
    let entity: EntitySource
    let className: String
    /// The class of the parent entity; nil for `NSManagedObject`.
    let superclassName: String?
    /// `public ` or nothing.
    let access: String
    /// The class of an entity by the entity's name.
    let classNames: (String) -> String

    /// The class itself.
    var definition: String {
        lines(
            forObjectiveC("@objc(\(className))")
                + ["\(access)class \(className): \(superclassName ?? "NSManagedObject") {}"]
        )
    }

    /// The extensions with properties and accessors.
    var properties: String {
        var parts = [["extension \(className) {"] + indented(request + attributes) + ["}"]]
        for relationship in entity.relationships.sorted(by: { $0.name < $1.name })
        where relationship.isToMany {
            parts.append(
                [
                    "// MARK: Generated accessors for \(relationship.name)",
                    "extension \(className) {",
                ]
                    + indented(accessors(relationship)) + ["}"]
            )
        }
        // Subclasses inherit the conformance.
        if superclassName == nil { parts.append(["extension \(className): Identifiable {}"]) }
        return lines(Array(parts.joined(separator: [""])))
    }

    private var request: [String] {
        [
            // For Objective-C it would be `NSManagedObject`'s method of that name with another
            // type.
            "@nonobjc \(access)class func fetchRequest() -> NSFetchRequest<\(className)> {",
            "    return NSFetchRequest<\(className)>(entityName: \"\(entity.name)\")",
            "}",
        ]
    }

    private var attributes: [String] {
        var types = entity.attributes.map { ($0.name, $0.type) }
        types += entity.relationships.map { relationship in
            let set = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
            let type = relationship.isToMany ? set : classNames(relationship.destination)
            return (relationship.name, type + "?")
        }
        types += entity.fetchedPropertyNames.map { ($0, "[NSManagedObject]?") }
        guard !types.isEmpty else { return [] }
        return [""]
            + types.sorted { $0.0 < $1.0 }.map { name, type in
                "@NSManaged \(access)var \(SwiftName.quoted(name)): \(type)"
            }
    }

    // MARK: Accessors

    private func accessors(_ relationship: RelationshipSource) -> [String] {
        let name = SwiftName.capitalized(relationship.name)
        let type = classNames(relationship.destination)
        let set = relationship.isOrdered ? "NSOrderedSet" : "NSSet"
        let ordered = relationship.isOrdered ? orderedAccessors(name, type) : []
        let all =
            ordered + [
                ("add\(name)Object:", "addTo\(name)(_ value: \(type))"),
                ("remove\(name)Object:", "removeFrom\(name)(_ value: \(type))"),
                ("add\(name):", "addTo\(name)(_ values: \(set))"),
                ("remove\(name):", "removeFrom\(name)(_ values: \(set))"),
            ]
        // Where there is no Objective-C, the generator of accessors reads from the selector what
        // the function does.
        let blocks = all.map { selector, function in
            forObjectiveC("@objc(\(selector))") + ["@NSManaged \(access)func \(function)"]
        }
        return Array(blocks.joined(separator: [""]))
    }

    private func orderedAccessors(_ name: String, _ type: String) -> [(String, String)] {
        [
            (
                "insertObject:in\(name)AtIndex:",
                "insertInto\(name)(_ value: \(type), at idx: Int)"
            ),
            ("removeObjectFrom\(name)AtIndex:", "removeFrom\(name)(at idx: Int)"),
            (
                "insert\(name):atIndexes:",
                "insertInto\(name)(_ values: [\(type)], at indexes: NSIndexSet)"
            ),
            ("remove\(name)AtIndexes:", "removeFrom\(name)(at indexes: NSIndexSet)"),
            (
                "replaceObjectIn\(name)AtIndex:withObject:",
                "replace\(name)(at idx: Int, with value: \(type))"
            ),
            (
                "replace\(name)AtIndexes:with\(name):",
                "replace\(name)(at indexes: NSIndexSet, with values: [\(type)])"
            ),
        ]
    }

    // MARK: Text

    private func forObjectiveC(_ attribute: String) -> [String] {
        ["#if canImport(ObjectiveC)", attribute, "#endif"]
    }

    private func indented(_ lines: [String]) -> [String] {
        lines.map { $0.isEmpty ? "" : "    " + $0 }
    }

    private func lines(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }
}
