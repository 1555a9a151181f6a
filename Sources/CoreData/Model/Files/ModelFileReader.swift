import Foundation
import Markup

/// Makes the entities of a model from the XML of a `.xcdatamodel`.
///
/// Elements and attributes that it does not know are skipped and reported: they are of later
/// versions of Xcode.
final class ModelFileReader {
    private let url: URL
    private var entities: [String: NSEntityDescription] = [:]
    /// The names of all entities, also of those still to be made.
    private var entityNames: Set<String> = []
    /// The relationships of each entity by name, inherited ones included.
    private var relationships: [String: [String: NSRelationshipDescription]] = [:]
    private var composites: [String: MarkupElement] = [:]
    private let unrecognized = UnrecognizedParts()
    private let compositeBudget = CompositeBudget()

    /// - Parameter url: The file, for errors.
    init(url: URL) { self.url = url }

    /// Fills a model that is empty yet.
    func read(_ root: MarkupElement, into model: NSManagedObjectModel) throws {
        guard root.name == "model" else {
            throw problem(root, "the root element is <\(root.name)>, not <model>")
        }
        for composite in root.children(named: "composite") {
            composites[try required("name", of: composite)] = composite
        }
        let elements = root.children(named: "entity")
        // Known before the entities are made: a fetched property may be of one that comes later.
        entityNames = Set(elements.compactMap { $0["name"] })
        let ordered = try elements.map { try makeEntity($0) }
        // In rounds, since a parent, a destination or an inverse may stand further down in the
        // file.
        try link(elements, ordered)
        for (element, entity) in zip(elements, ordered) {
            try readRelationships(element, of: entity)
        }
        for (element, entity) in zip(elements, ordered) {
            try linkInverses(element, of: entity)
            try readIndexes(element, of: entity)
        }
        model.entities = ordered
        // Checked here, where it can be thrown: the first use of the model would stop the process.
        if let reason = ModelProblem.reason(in: model) {
            throw CocoaError.modelFile(url, reason)
        }
        for entity in ordered { ModelIndexes.complete(entity) }
        try readConfigurations(root, of: model)
        for element in root.children(named: "fetchRequest") {
            let name = try required("name", of: element)
            model.requestTemplates[name] = try makeTemplate(element)
        }
        if let identifier = root["userDefinedModelVersionIdentifier"] {
            model.versionIdentifiers = [identifier]
        }
        ModelVocabulary.check(root, into: unrecognized)
        model.ownUnrecognizedParts = unrecognized.sentences + RelationshipPairs(ordered).warnings
    }

    // MARK: Entities

    private func makeEntity(_ element: MarkupElement) throws -> NSEntityDescription {
        let name = try required("name", of: element)
        guard entities[name] == nil else {
            throw problem(element, "there are two entities named \"\(name)\"")
        }
        let entity = NSEntityDescription()
        entity.name = name
        if let className = element["representedClassName"], !className.isEmpty {
            entity.givenClassName = className
        }
        entity.isAbstract = element.flag("isAbstract")
        entity.storedRenamingIdentifier = element["elementID"]
        entity.versionHashModifier = element["versionHashModifier"]
        entity.codeGenerationType = element["codeGenerationType"]
        entity.userInfo = try ModelPropertyReader.userInfo(element, url: url) ?? [:]
        let reader = ModelPropertyReader(
            url: url,
            entityName: name,
            composites: composites,
            unrecognized: unrecognized,
            budget: compositeBudget
        )
        var properties: [NSPropertyDescription] = []
        for child in element.children {
            switch child.name {
            case "attribute": properties.append(try reader.makeAttribute(child))
            case "relationship": properties.append(try reader.makeRelationship(child))
            case "fetchedProperty": properties.append(try makeFetchedProperty(child, reader))
            default: break
            }
        }
        entity.properties = properties
        entity.uniquenessConstraints = try element.children(named: "uniquenessConstraints")
            .flatMap { $0.children(named: "uniquenessConstraint") }
            .map { try $0.children(named: "constraint").map { try required("value", of: $0) } }
        entity.compoundIndexes = try element.children(named: "compoundIndexes")
            .flatMap { $0.children(named: "compoundIndex") }
            .map { try $0.children(named: "index").map { try required("value", of: $0) } }
        entities[name] = entity
        return entity
    }

    /// Sets parents.
    private func link(_ elements: [MarkupElement], _ ordered: [NSEntityDescription]) throws {
        var parentNames: [String: String] = [:]
        for (element, entity) in zip(elements, ordered) {
            parentNames[entity.name ?? ""] = element["parentEntity"]
        }
        do throws(ModelInheritance.Problem) {
            try ModelInheritance.link(ordered, parentNames: parentNames)
        } catch {
            let element = elements.first { $0["name"] == error.entityName }
            throw CocoaError.modelFile(url, "line \(element?.line ?? 1): \(error.message)")
        }
        // After the parents are set, so that an inherited relationship is found as an inverse too.
        for entity in ordered { relationships[entity.name ?? ""] = entity.relationshipsByName }
    }

    // MARK: Relationships

    private func readRelationships(_ element: MarkupElement, of entity: NSEntityDescription) throws
    {
        for child in element.children(named: "relationship") {
            let name = try required("name", of: child)
            let destinationName = try required("destinationEntity", of: child)
            // Looked up when all entities are made: the destination may come later in the file.
            guard let destination = entities[destinationName] else {
                throw problem(
                    child,
                    "the destination \"\(destinationName)\" of the relationship "
                        + "\(entity.name ?? "").\(name) does not exist"
                )
            }
            relationships[entity.name ?? ""]?[name]?.destinationEntity = destination
        }
    }

    private func linkInverses(_ element: MarkupElement, of entity: NSEntityDescription) throws {
        for child in element.children(named: "relationship") {
            guard let inverseName = child["inverseName"], !inverseName.isEmpty,
                let name = child["name"], let relationship = relationships[entity.name ?? ""]?[name]
            else { continue }
            // All destinations are set by now, which an inverse without a named entity is looked
            // for in.
            let owner = child["inverseEntity"] ?? relationship.destinationEntity?.name ?? ""
            guard let inverse = relationships[owner]?[inverseName] else {
                throw problem(
                    child,
                    "the inverse \"\(inverseName)\" of the relationship "
                        + "\(entity.name ?? "").\(relationship.name) does not exist"
                )
            }
            relationship.inverseRelationship = inverse
        }
    }

    // MARK: Indexes, configurations and requests

    private func readIndexes(_ element: MarkupElement, of entity: NSEntityDescription) throws {
        let entityName = entity.name ?? ""
        let properties = entity.propertiesByName
        entity.indexes = try element.children(named: "fetchIndex").compactMap { child in
            let name = try required("name", of: child)
            var elements: [NSFetchIndexElementDescription] = []
            for part in child.children(named: "fetchIndexElement") {
                // Left out as a whole: without one of its elements it would be another index.
                guard let propertyName = part["property"] else {
                    unrecognized.note(
                        "an element of the index \(name) is over no property; the index is left out",
                        at: "Line \(part.line)"
                    )
                    return nil
                }
                guard let property = properties[propertyName] else {
                    throw problem(
                        part,
                        "the index \"\(name)\" of \"\(entityName)\" is over \"\(propertyName)\", "
                            + "which does not exist"
                    )
                }
                elements.append(Self.indexElement(part, property))
            }
            return NSFetchIndexDescription(name: name, elements: elements)
        }
    }

    private static func indexElement(
        _ element: MarkupElement,
        _ property: NSPropertyDescription
    ) -> NSFetchIndexElementDescription {
        let description = NSFetchIndexElementDescription(
            property: property,
            collationType: element["type"] == "RTree" ? .rTree : .binary
        )
        description.isAscending = element["order"] != "descending"
        return description
    }

    private func readConfigurations(_ root: MarkupElement, of model: NSManagedObjectModel) throws {
        for element in root.children(named: "configuration") {
            let name = try required("name", of: element)
            let members = try element.children(named: "memberEntity").map { member in
                let memberName = try required("name", of: member)
                guard let entity = entities[memberName] else {
                    throw problem(
                        member,
                        "the entity \"\(memberName)\" of the configuration \"\(name)\" does not exist"
                    )
                }
                return entity
            }
            model.setEntities(members, forConfigurationName: name)
        }
    }

    private func makeFetchedProperty(
        _ element: MarkupElement,
        _ reader: ModelPropertyReader
    ) throws -> NSFetchedPropertyDescription {
        let property = NSFetchedPropertyDescription()
        try reader.readCommon(element, into: property)
        property.fetchRequest = try element.children(named: "fetchRequest").first.map(makeTemplate)
        return property
    }

    private func makeTemplate(
        _ element: MarkupElement
    ) throws -> NSFetchRequest<any NSFetchRequestResult> {
        let entityName = try required("entity", of: element)
        guard entityNames.contains(entityName) else {
            throw problem(element, "the entity \"\(entityName)\" of a fetch request does not exist")
        }
        let template = NSFetchRequest<any NSFetchRequestResult>(entityName: entityName)
        do {
            template.predicate = try element["predicateString"].map {
                try PredicateParser.predicate($0, [])
            }
        } catch {
            throw problem(element, "the predicate of a fetch request: \(error)")
        }
        template.fetchLimit = element["fetchLimit"].flatMap { Int($0) } ?? 0
        template.fetchBatchSize = element["fetchBatchSize"].flatMap { Int($0) } ?? 0
        template.resultType = NSFetchRequestResultType(
            rawValue: element["resultType"].flatMap { UInt($0) } ?? 0
        )
        template.includesSubentities = element.flag("includeSubentities", default: true)
        template.includesPropertyValues = element.flag("includePropertyValues", default: true)
        template.returnsObjectsAsFaults = element.flag("returnObjectsAsFaults", default: true)
        template.returnsDistinctResults = element.flag("returnDistinctResults")
        return template
    }

    // MARK: Errors

    private func required(_ attribute: String, of element: MarkupElement) throws -> String {
        try ModelPropertyReader.required(attribute, of: element, url: url)
    }

    private func problem(_ element: MarkupElement, _ what: String) -> CocoaError {
        .modelFile(url, "line \(element.line): \(what)")
    }
}

extension MarkupElement {
    /// A Boolean attribute.
    func flag(_ attribute: String, default value: Bool = false) -> Bool {
        guard let text = self[attribute] else { return value }
        return text == "YES" || text == "true" || text == "1"
    }
}
