#if PostgreSQL
import CoreData
import Foundation

/// Objects of all entities of the sample model, with relationships of all kinds.
extension NSManagedObjectContext {
    /// Inserts them; the caller saves.
    func insertSample() {
        func make(_ entity: String, _ key: String, _ value: String) -> NSManagedObject {
            let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
            object.setValue(value, forKey: key)
            return object
        }
        let people = [make("Person", "name", "Ann"), make("Employee", "name", "Bob")]
        let department = make("Department", "name", "Kitchen"), tag = make("Tag", "label", "t")
        for person in people {
            person.setValue(department, forKey: "department")
            person.mutableSetValue(forKey: "tags").add(tag)
        }
        people[0].mutableSetValue(forKey: "friends").add(people[1])
        people[0].setValue(NSDecimalNumber(string: "10.25"), forKey: "balance")
        people[0].setValue(Data([0, 1, 255]), forKey: "photo")
        people[1].setValue(Int64.max, forKey: "salary")
        let songs = ["x", "y", "z"].map { make("Song", "title", $0) }
        make("Playlist", "title", "List").mutableOrderedSetValue(forKey: "songs")
            .addObjects(from: songs)
    }

    /// What they have, a line for each object: its key and its values, and what it is related to.
    func sampleLines() throws -> [String] {
        try ["Person", "Department", "Tag", "Playlist", "Song"].flatMap { entity in
            let request = NSFetchRequest<NSManagedObject>(entityName: entity)
            return try fetch(request).map { object in
                let names = object.entity.propertiesByName.keys.sorted()
                let values = names.map { "\($0)=\(Self.text(object.value(forKey: $0)))" }
                return ([Self.text(object)] + values).joined(separator: " ")
            }
        }
        .sorted()
    }

    /// An object as the last parts of its URI, which a copy of a store keeps.
    private static func text(_ value: Any?) -> String {
        switch value {
        case let object as NSManagedObject:
            object.objectID.uriRepresentation().pathComponents.suffix(2).joined(separator: "/")
        case let ordered as NSOrderedSet: ordered.array.map(text).joined(separator: ",")
        case let set as NSSet: set.allObjects.map(text).sorted().joined(separator: ",")
        case let data as Data: data.base64EncodedString()
        case let value?: "\(value)"
        case nil: "-"
        }
    }
}
#endif
