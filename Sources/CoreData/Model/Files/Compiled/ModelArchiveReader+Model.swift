import Foundation

// What belongs to the model as a whole, and lists of names.
extension ModelArchiveReader {
    func readConfigurations(
        _ root: ArchivedObject,
        of model: NSManagedObjectModel
    ) throws(ArchiveError) {
        guard let list = try root.object("NSConfigurations") else { return }
        for (key, value) in try list.entries() {
            guard case .object(let members) = value, let name = try text(key) else {
                throw root.malformed("NSConfigurations")
            }
            var names: Set<String> = []
            for member in try members.elements() {
                guard case .object(let entity) = member,
                    let entityName = try entity.string("NSEntityName")
                else { throw root.malformed("NSConfigurations") }
                names.insert(entityName)
            }
            let entities = model.entities.filter { names.contains($0.name ?? "") }
            model.setEntities(entities, forConfigurationName: name)
        }
    }

    func readTemplates(
        _ root: ArchivedObject,
        of model: NSManagedObjectModel
    ) throws(ArchiveError) {
        guard let list = try root.object("NSFetchRequestTemplates") else { return }
        let reader = FetchRequestArchiveReader(archive: archive, unrecognized: unrecognized)
        for (key, value) in try list.entries() {
            guard case .object(let object) = value, let name = try text(key) else {
                throw root.malformed("NSFetchRequestTemplates")
            }
            let place = "The fetch request template \(name)"
            guard let request = reader.makeRequest(object, at: place) else { continue }
            model.requestTemplates[name] = request
        }
    }

    func versionIdentifiers(
        _ root: ArchivedObject
    ) throws(ArchiveError) -> Set<AnyHashable> {
        guard let list = try root.object("NSVersionIdentifiers") else { return [] }
        var identifiers: Set<AnyHashable> = []
        for element in try list.elements() {
            if let identifier = try text(element) { identifiers.insert(identifier) }
        }
        return identifiers
    }

    // MARK: Parts

    /// Lists of names, such as those of uniqueness constraints.
    func nameLists(
        _ object: ArchivedObject,
        _ key: String
    ) throws(ArchiveError) -> [[Any]] {
        guard let lists = try object.object(key) else { return [] }
        var result: [[Any]] = []
        for element in try lists.elements() {
            guard case .object(let list) = element else { throw object.malformed(key) }
            var names: [String] = []
            for name in try list.elements() {
                guard let name = try text(name) else { throw object.malformed(key) }
                names.append(name)
            }
            result.append(names)
        }
        return result
    }

    /// The text of a string; nil for anything else.
    func text(_ value: ArchivedValue) throws(ArchiveError) -> String? {
        switch value {
        case .plain(let plain): plain.string
        case .object(let object): try object.stringContent()
        case .null: nil
        }
    }
}
