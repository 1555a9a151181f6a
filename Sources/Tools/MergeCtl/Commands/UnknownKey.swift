import CoreData

/// Tells of keys that an entity lacks which it has.
enum UnknownKey {
    /// Does something that asks for objects; an error that is about a key of a predicate names the
    /// keys that there are.
    static func explained<Result>(
        in model: NSManagedObjectModel,
        _ body: () throws -> Result
    ) throws -> Result {
        do {
            return try body()
        } catch {
            let info = (error as NSError).userInfo
            guard let path = info["keyPath"] as? String, let name = info["entity"] as? String,
                let entity = model.entitiesByName[name]
            else { throw error }
            throw CommandError(message(path, entity))
        }
    }

    private static func message(_ path: String, _ entity: NSEntityDescription) -> String {
        let names = entity.propertiesByName.keys.sorted()
        let name = entity.name ?? ""
        let keys = path.split(separator: ".").map(String.init)
        // What leads on from an attribute, as in `name.length`, has all its keys.
        guard let key = unknownKey(keys, from: entity) else {
            return "\(name) has no value \"\(path)\"; it has \(names.joined(separator: ", "))."
        }
        let meant = Spelling.nearest(to: key, among: names).map { " Did you mean \($0)?" }
        let way = keys.count > 1 ? " of the key path \"\(path)\"" : ""
        return "\(name) has no key \"\(key)\"\(way); it has \(names.joined(separator: ", "))."
            + (meant ?? "")
    }

    /// The first key that the entity lacks; on the way to it others may be of other entities.
    private static func unknownKey(_ keys: [String], from entity: NSEntityDescription) -> String? {
        keys.last.flatMap { entity.propertiesByName[$0] == nil ? $0 : nil }
            ?? keys.first { entity.propertiesByName[$0] == nil }
    }
}
