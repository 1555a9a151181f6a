import Foundation
import Markup

/// Reads the source of a mapping model: the file `xcmapping.xml` in a `.xcmappingmodel`.
///
/// The file may have been made to do harm, as a compiled one, see `MappingModelReader`.
struct MappingSourceReader {
    private let url: URL
    private let objects: [String: EditorObject]

    /// - Parameter url: The directory, or the file in it.
    /// - Throws: 259 for a file that is damaged or no mapping model; a file error.
    init(_ url: URL) throws {
        self.url = MappingModelFile.contents(of: url)
        let data = try FileReading.bytes(of: self.url)
        let root: MarkupElement
        do throws(MarkupError) {
            root = try MarkupReader.read([UInt8](data))
        } catch {
            throw CocoaError.modelFile(self.url, "line \(error.line): \(error.message)")
        }
        do throws(ArchiveError) {
            objects = try EditorObject.all(in: root)
        } catch {
            throw CocoaError.modelFile(self.url, error.reason, underlying: error)
        }
    }

    /// The mappings, in their order.
    ///
    /// - Parameter models: The models that they are between; nil for the copies in the file.
    /// - Throws: 259 for what is malformed.
    func entityMappings(
        between models: (source: NSManagedObjectModel, destination: NSManagedObjectModel)? = nil
    ) throws -> [NSEntityMapping] {
        do throws(ArchiveError) {
            return try mappings(between: models)
        } catch {
            throw CocoaError.modelFile(url, error.reason, underlying: error)
        }
    }

    /// The same between the copies in the file or, where these are of a form that is not known, between
    /// the models beside it.
    func entityMappingsOfAnyForm() throws -> [NSEntityMapping] {
        do {
            return try entityMappings()
        } catch {
            guard let models = try modelsBeside() else { throw error }
            return try entityMappings(between: models)
        }
    }

    private func mappings(
        between models: (source: NSManagedObjectModel, destination: NSManagedObjectModel)?
    ) throws(ArchiveError) -> [NSEntityMapping] {
        guard let model = objects.values.first(where: { $0.kind == .model }) else {
            throw ArchiveError(reason: "it holds no mapping model")
        }
        let source: NSManagedObjectModel
        let destination: NSManagedObjectModel
        if let models {
            source = models.source
            destination = models.destination
        } else {
            source = try copy(model, "sourcemodeldata")
            destination = try copy(model, "destinationmodeldata")
        }
        let members = model.ids("entitymappings").compactMap { objects[$0] }
            .filter { $0.kind == .entityMapping }
            .sorted {
                ($0.integer("mappingnumber") ?? 0, $0.line)
                    < ($1.integer("mappingnumber") ?? 0, $1.line)
            }
        // Two rounds: what a relationship gets by default refers to other mappings by their names.
        let names = MappingDefaults(source: source, destination: destination, mappings: [])
        let mappings = members.map { outline($0, names) }
        let defaults = MappingDefaults(
            source: source,
            destination: destination,
            mappings: mappings
        )
        for (object, mapping) in zip(members, mappings) { try fill(mapping, object, defaults) }
        return mappings
    }

    private func copy(
        _ model: EditorObject,
        _ key: String
    ) throws(ArchiveError) -> NSManagedObjectModel {
        guard let archive = try model.archive(key) else {
            throw ArchiveError(reason: "it has no copy of its models; open and save it with Xcode")
        }
        return try EditorModelReader.model(archive)
    }

    // MARK: Entity mappings

    /// A mapping with name and entities.
    private func outline(_ object: EditorObject, _ defaults: MappingDefaults) -> NSEntityMapping {
        let mapping = NSEntityMapping()
        mapping.sourceEntityName = object.text("sourcename")
        mapping.destinationEntityName = object.text("destinationname")
        mapping.name =
            object.text("name")
            ?? defaults.name(mapping.sourceEntityName, mapping.destinationEntityName)
        return mapping
    }

    private func fill(
        _ mapping: NSEntityMapping,
        _ object: EditorObject,
        _ defaults: MappingDefaults
    ) throws(ArchiveError) {
        mapping.sourceEntityVersionHash = mapping.sourceEntityName.flatMap {
            defaults.source.entitiesByName[$0]?.versionHash
        }
        mapping.destinationEntityVersionHash = mapping.destinationEntityName.flatMap {
            defaults.destination.entitiesByName[$0]?.versionHash
        }
        mapping.entityMigrationPolicyClassName = object.text("migrationpolicyclassname")
        // After the policy's class, which makes the default a custom mapping.
        mapping.mappingType = defaults.type(of: mapping, saying: object.text("mappingtypename"))
        mapping.userInfo = try userInfo(object)
        if let expression = try expression(object, "sourceexpressiondata") {
            mapping.sourceExpression = expression
        } else if mapping.makesObjects, let entity = mapping.sourceEntityName {
            mapping.sourceExpression = MappingExpressions.objects(ofEntity: entity)
        }
        mapping.attributeMappings = try properties(
            object,
            "attributemappings",
            .attributeMapping
        ) { name, _ in
            defaults.attributeValue(name, in: mapping)
        }
        mapping.relationshipMappings = try properties(
            object,
            "relationshipmappings",
            .relationshipMapping
        ) { name, object throws(ArchiveError) in
            if let given = try relationshipValue(object) { return given }
            return object.isOn("autogenerateexpression")
                ? defaults.relationshipValue(name, in: mapping) : nil
        }
    }

    /// What the fields "Key Path" and "Mapping Name" of Xcode's inspector say; nil if they are empty.
    private func relationshipValue(
        _ object: EditorObject
    ) throws(ArchiveError) -> NSExpression? {
        guard let path = object.text("sourcekeypath"), let other = object.text("sourcemappingname")
        else { return nil }
        let source = "$\(NSMigrationSourceObjectKey)."
        guard path.hasPrefix(source), path.count > source.count else {
            throw ArchiveError(
                reason:
                    "line \(object.line): the key path \"\(path)\" does not begin with \(source)"
            )
        }
        return MappingExpressions.destinations(
            of: other,
            sourceRelationship: String(path.dropFirst(source.count))
        )
    }

    /// The mappings of properties by name, with what stands in the file or the default.
    private func properties(
        _ mapping: EditorObject,
        _ key: String,
        _ kind: EditorObject.Kind,
        _ standard: (String, EditorObject) throws(ArchiveError) -> NSExpression?
    ) throws(ArchiveError) -> [NSPropertyMapping] {
        var result: [NSPropertyMapping] = []
        // References to objects that are missing or of another kind are passed over, for the
        // editor's file may hold what is not known here.
        for object in mapping.ids(key).compactMap({ objects[$0] }) where object.kind == kind {
            guard let name = object.text("name") else { continue }
            let property = NSPropertyMapping()
            property.name = name
            property.valueExpression = try expression(object, "valueexpressiondata")
            if property.valueExpression == nil {
                property.valueExpression = try standard(name, object)
            }
            property.userInfo = try userInfo(object)
            result.append(property)
        }
        return result.sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    // MARK: Archives

    private func expression(
        _ object: EditorObject,
        _ key: String
    ) throws(ArchiveError) -> NSExpression? {
        guard let archive = try object.archive(key) else { return nil }
        guard case .object(let root) = try archive.root() else { return nil }
        do throws(ArchiveError) {
            return try PredicateArchiveReader(archive, allowsCalls: true).expression(root)
        } catch {
            throw ArchiveError(reason: "line \(object.line): \(error.reason)")
        }
    }

    private func userInfo(_ object: EditorObject) throws(ArchiveError) -> [AnyHashable: Any]? {
        guard let archive = try object.archive("userinfodata") else { return nil }
        let value = try ArchivedValueReader(archive)
            .object(try archive.root(), allowing: FoundationArchive.propertyListClasses)
        return (value as? NSDictionary) as? [AnyHashable: Any]
    }

    // MARK: Models

    /// The models that the file names, where they stand beside it; nil if one does not.
    ///
    /// The copies in the file are as old as it is; a version that was changed since is another.
    func modelsBeside() throws
        -> (source: NSManagedObjectModel, destination: NSManagedObjectModel)?
    {
        let places = modelPlaces
        guard
            let source = try places.source.flatMap({ try NSManagedObjectModel.candidate(at: $0) }),
            let destination = try places.destination
                .flatMap({ try NSManagedObjectModel.candidate(at: $0) })
        else { return nil }
        return (source, destination)
    }

    /// What ``modelsBeside()`` depends on: the files of the models, and the folders that have them or
    /// might have others in their places.
    var filesBeside: [URL] {
        [modelPlaces.source, modelPlaces.destination].compactMap { $0 }.flatMap { place in
            let model = ModelLookup.existing(place)
            return [
                model, model.appendingPathComponent("contents"), place.deletingLastPathComponent(),
                model.deletingLastPathComponent(), folder,
            ]
        }
    }

    /// The folder that the mapping model is in.
    private var folder: URL { url.deletingLastPathComponent().deletingLastPathComponent() }

    /// Where the models would stand if they were compiled, at which their sources are found too.
    private var modelPlaces: (source: URL?, destination: URL?) {
        let model = objects.values.first { $0.kind == .model }
        return (
            place(model?.text("sourcemodelpath")), place(model?.text("destinationmodelpath"))
        )
    }

    private func place(_ path: String?) -> URL? {
        let names = path?.split(separator: "/").suffix(2).map { String($0) as NSString } ?? []
        guard let version = names.last, version.pathExtension == "xcdatamodel" else { return nil }
        var place = folder
        if names.count == 2, names[0].pathExtension == "xcdatamodeld" {
            place.appendPathComponent("\(names[0].deletingPathExtension).momd")
        }
        return place.appendingPathComponent("\(version.deletingPathExtension).mom")
    }
}
