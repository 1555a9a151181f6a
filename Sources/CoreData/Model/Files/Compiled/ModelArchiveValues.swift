import Foundation

/// Values in archived models that are no part of the model's own classes.
struct ModelArchiveValues {
    let archive: KeyedArchive
    let unrecognized: UnrecognizedParts

    /// What default values, constants and user info may hold.
    private static let classes: [AnyClass] = FoundationArchive.propertyListClasses

    /// A value of Foundation's; nil for none, and with a note for one of another class.
    func value(_ field: PropertyListValue?, of what: String, at place: String) -> Any? {
        guard let field else { return nil }
        do throws(ArchiveError) {
            return try ArchivedValueReader(archive)
                .object(archive.value(field), allowing: Self.classes)
        } catch {
            unrecognized.note("\(what) cannot be read, since \(error.reason)", at: place)
            return nil
        }
    }

    /// What the client attached; nil for nothing.
    func userInfo(of object: ArchivedObject, at place: String) -> [AnyHashable: Any]? {
        let value = value(object.fields["NSUserInfo"], of: "the user info", at: place)
        guard let dictionary = value as? [AnyHashable: Any], !dictionary.isEmpty else { return nil }
        return dictionary
    }

    /// Notes the fields that have no meaning here, and gives those that can be kept as they are.
    func unknownFields(
        of object: ArchivedObject,
        _ known: Set<String>,
        at place: String
    ) -> [String: PropertyListValue] {
        var kept: [String: PropertyListValue] = [:]
        for key in object.fields.keys.sorted() where key != "$class" && !known.contains(key) {
            unrecognized.note(
                "the field \(key) of \(object.className) is not known",
                at: place
            )
            if let field = object.fields[key], case .plain(let plain)? = plainValue(field) {
                kept[key] = plain
            }
        }
        return kept
    }

    private func plainValue(_ field: PropertyListValue) -> ArchivedValue? {
        do throws(ArchiveError) {
            return try archive.value(field)
        } catch {
            return nil  // A field that is not known may refer to anything.
        }
    }
}
