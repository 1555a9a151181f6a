import Foundation
import Markup

/// What the source of a model says about an entity's class.
package struct EntitySource: Sendable {
    /// Whose task the class is, as Xcode's inspector calls it "Codegen".
    package enum CodeGeneration: Sendable {
        /// Class and properties are written by hand.
        case manual
        /// Class and properties are generated.
        case definition
        /// The class is written by hand, its properties are generated.
        case category
    }

    /// The entity's name.
    package let name: String
    /// The class, without module; nil if it is `NSManagedObject`.
    package let className: String?
    /// Whose task the class is.
    package let codeGeneration: CodeGeneration
    let parentName: String?
    let attributes: [AttributeSource]
    let relationships: [RelationshipSource]
    let fetchedPropertyNames: [String]

    init(_ element: MarkupElement, file: URL) throws {
        guard let name = element["name"], !name.isEmpty else {
            throw ModelSourceError(file, "line \(element.line): an entity has no name")
        }
        self.name = name
        className = try Self.className(element, file: file)
        parentName = element["parentEntity"]
        // A model leaves the attribute out where class and properties are written by hand.
        switch element["codeGenerationType"] {
        case "class": codeGeneration = .definition
        case "category": codeGeneration = .category
        default: codeGeneration = .manual
        }
        attributes = try element.children(named: "attribute").map {
            try AttributeSource($0, name: Self.propertyName($0, file: file))
        }
        relationships = try element.children(named: "relationship").map {
            let name = try Self.propertyName($0, file: file)
            guard let destination = $0["destinationEntity"] else {
                throw ModelSourceError(
                    file,
                    "line \($0.line): the relationship \"\(name)\" has no destination"
                )
            }
            return RelationshipSource(
                name: name,
                destination: destination,
                isToMany: $0["toMany"] == "YES",
                isOrdered: $0["ordered"] == "YES"
            )
        }
        fetchedPropertyNames = try element.children(named: "fetchedProperty").map {
            try Self.propertyName($0, file: file)
        }
    }

    /// `.Person` and `App.Person` are the class `Person`; the module is the one that is compiled.
    private static func className(_ element: MarkupElement, file: URL) throws -> String? {
        guard let written = element["representedClassName"], !written.isEmpty else { return nil }
        let name = written.split(separator: ".").last.map(String.init) ?? written
        guard SwiftName.isIdentifier(name) else {
            throw ModelSourceError(
                file,
                "line \(element.line): the class \"\(written)\" has no name that Swift knows"
            )
        }
        return name == "NSManagedObject" ? nil : name
    }

    private static func propertyName(_ element: MarkupElement, file: URL) throws -> String {
        guard let name = element["name"], SwiftName.isIdentifier(name) else {
            throw ModelSourceError(
                file,
                "line \(element.line): \"\(element["name"] ?? "")\" is no name of a Swift property"
            )
        }
        return name
    }
}

/// What the source of a model says about a relationship's property.
struct RelationshipSource: Sendable {
    let name: String
    let destination: String
    let isToMany: Bool
    let isOrdered: Bool
}
