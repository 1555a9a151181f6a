import Foundation
import Markup

/// Makes the properties of one entity from the XML of a `.xcdatamodel`.
struct ModelPropertyReader {
    let url: URL
    let entityName: String
    /// The `composite` elements of the model, by name.
    let composites: [String: MarkupElement]
    let unrecognized: UnrecognizedParts
    let budget: CompositeBudget

    /// Reads what all kinds of properties have in common.
    func readCommon(_ element: MarkupElement, into property: NSPropertyDescription) throws {
        property.name = try Self.required("name", of: element, url: url)
        // A file that says nothing means required, while descriptions begin as optional.
        property.isOptional = element.flag("optional")
        property.isTransient = element.flag("transient")
        // Old models say so of relationships too, where it has no effect.
        property.isIndexed = element.flag("indexed") && element.name == "attribute"
        property.isIndexedBySpotlight = element.flag("spotlightIndexingEnabled")
        property.isStoredInExternalRecord = element.flag("storedInTruthFile")
        property.storedRenamingIdentifier = element["elementID"]
        property.versionHashModifier = element["versionHashModifier"]
        property.userInfo = try Self.userInfo(element, url: url) ?? [:]
    }

    // MARK: Attributes

    /// - Parameter outer: The composite types that the attribute is an element of, the outermost
    ///   first.
    func makeAttribute(
        _ element: MarkupElement,
        inComposites outer: [String] = []
    ) throws -> NSAttributeDescription {
        let attribute: NSAttributeDescription
        if element.flag("derived") {
            let derived = NSDerivedAttributeDescription()
            derived.derivationExpression = try element["derivationExpression"].map {
                do {
                    return try PredicateParser.expression($0, [])
                } catch {
                    throw problem(element, "the derivation expression: \(error)")
                }
            }
            attribute = derived
        } else if element["attributeType"] == "Composite" {
            attribute = try makeComposite(element, inComposites: outer)
        } else {
            attribute = NSAttributeDescription()
        }
        try readCommon(element, into: attribute)
        // The type goes first: the default and the bounds are read as values of it.
        attribute.attributeType = try type(of: element)
        attribute.attributeValueClassName = element["customClassName"]
        attribute.valueTransformerName = element["valueTransformerName"]
        attribute.allowsExternalBinaryDataStorage = element.flag("allowsExternalBinaryDataStorage")
        attribute.preservesValueInHistoryOnDeletion = element.flag("preserveAfterDeletion")
        attribute.allowsCloudEncryption = element.flag("allowsCloudEncryption")
        attribute.usesScalarValueType = element.flag("usesScalarValueType")
        attribute.defaultValue = try defaultValue(of: element, attribute.attributeType)
        attribute.bounds = try bounds(of: element, attribute.attributeType)
        return attribute
    }

    private func type(of element: MarkupElement) throws -> NSAttributeType {
        guard let name = element["attributeType"] else { return .undefinedAttributeType }
        guard let kind = AttributeKinds.kind(sourceName: name) else {
            throw problem(element, "has the type \"\(name)\", which does not exist")
        }
        return kind.type
    }

    private func makeComposite(
        _ element: MarkupElement,
        inComposites outer: [String]
    ) throws -> NSCompositeAttributeDescription {
        let name = try Self.required("composite", of: element, url: url)
        guard let composite = composites[name] else {
            throw problem(element, "is of the composite type \"\(name)\", which does not exist")
        }
        // The depth would end this as well; here the message names the mistake.
        guard !outer.contains(name) else {
            throw problem(element, "is of the composite type \"\(name)\", which contains itself")
        }
        // Also where the depth is refused, since `enter` has counted it by then.
        defer { budget.leave() }
        guard budget.enter() else {
            throw problem(
                element,
                "is nested in more than \(CompositeBudget.maximumDepth) composite types"
            )
        }
        let attribute = NSCompositeAttributeDescription()
        attribute.elements = try composite.children(named: "attribute").map { child in
            guard budget.takeElement() else {
                throw problem(
                    element,
                    "makes more than \(CompositeBudget.maximumElementCount) elements of composite "
                        + "attributes in the model"
                )
            }
            return try makeAttribute(child, inComposites: outer + [name])
        }
        return attribute
    }

    // MARK: Relationships

    private static let deleteRules: [String: NSDeleteRule] = [
        "No Action": .noActionDeleteRule,
        "Nullify": .nullifyDeleteRule,
        "Cascade": .cascadeDeleteRule,
        "Deny": .denyDeleteRule,
    ]

    /// A relationship that leads nowhere yet.
    func makeRelationship(_ element: MarkupElement) throws -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        try readCommon(element, into: relationship)
        relationship.minCount = try count("minCount", of: element) ?? 0
        // The numbers count as they stand, even where old models have odd ones: they are part of
        // the version hash.
        relationship.maxCount =
            try count("maxCount", of: element)
            ?? (element.flag("toMany") ? 0 : 1)
        relationship.isOrdered = element.flag("ordered")
        if let ruleName = element["deletionRule"] {
            guard let rule = Self.deleteRules[ruleName] else {
                throw problem(element, "has the delete rule \"\(ruleName)\", which does not exist")
            }
            relationship.deleteRule = rule
        }
        return relationship
    }

    private func count(_ attribute: String, of element: MarkupElement) throws -> Int? {
        guard let text = element[attribute] else { return nil }
        guard let count = Int32(text) else {
            throw problem(element, "has a \(attribute) that is not a number")
        }
        return Int(count)
    }

    // MARK: Shared

    /// The `userInfo` of an element; nil if it has none.
    static func userInfo(_ element: MarkupElement, url: URL) throws -> [AnyHashable: Any]? {
        let entries = element.children(named: "userInfo").flatMap { $0.children(named: "entry") }
        guard !entries.isEmpty else { return nil }
        var userInfo: [AnyHashable: Any] = [:]
        for entry in entries {
            userInfo[try required("key", of: entry, url: url)] = entry["value"] ?? ""
        }
        return userInfo
    }

    static func required(_ attribute: String, of element: MarkupElement, url: URL) throws -> String
    {
        guard let value = element[attribute], !value.isEmpty else {
            throw CocoaError.modelFile(
                url,
                "line \(element.line): the element <\(element.name)> has no \(attribute)"
            )
        }
        return value
    }

    func problem(_ element: MarkupElement, _ what: String) -> CocoaError {
        .modelFile(
            url,
            "line \(element.line): the property \"\(entityName).\(element["name"] ?? "")\" \(what)"
        )
    }
}

extension NSAttributeType {
    /// What Xcode calls the type.
    var sourceName: String { AttributeKinds.kind(of: self).sourceName }
}
