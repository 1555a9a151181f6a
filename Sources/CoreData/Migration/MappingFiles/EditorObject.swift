import Foundation
import Markup

/// An object in the source of a mapping model: Xcode keeps those of its editor in an XML store.
struct EditorObject {
    /// What it is, by the name of its entity.
    enum Kind: String {
        case model = "XDDEVMAPPINGMODEL"
        case entityMapping = "XDDEVENTITYMAPPING"
        case attributeMapping = "XDDEVATTRIBUTEMAPPING"
        case relationshipMapping = "XDDEVRELATIONSHIPMAPPING"
    }

    let kind: Kind
    /// The line on which it begins.
    let line: Int
    private let attributes: [String: String]
    private let references: [String: [String]]

    /// The objects of a file, by their identifiers; those of unknown kinds are left out.
    static func all(in root: MarkupElement) throws(ArchiveError) -> [String: EditorObject] {
        guard root.name == "database" else {
            throw ArchiveError(reason: "the root element is <\(root.name)>, not <database>")
        }
        var objects: [String: EditorObject] = [:]
        for element in root.children(named: "object") {
            guard let kind = element["type"].flatMap(Kind.init), let id = element["id"] else {
                continue
            }
            // References go by identifier, so which of two objects is meant can't be told.
            guard objects.updateValue(EditorObject(kind, element), forKey: id) == nil else {
                throw ArchiveError(reason: "line \(element.line): there are two objects \"\(id)\"")
            }
        }
        return objects
    }

    private init(_ kind: Kind, _ element: MarkupElement) {
        self.kind = kind
        line = element.line
        attributes = Dictionary(
            element.children(named: "attribute").map { ($0["name"] ?? "", $0.text) },
            uniquingKeysWith: { $1 }
        )
        references = Dictionary(
            element.children(named: "relationship").map { relationship in
                let ids = relationship["idrefs"] ?? ""
                return (relationship["name"] ?? "", ids.split(separator: " ").map(String.init))
            },
            uniquingKeysWith: { $1 }
        )
    }

    /// A text; nil for none and for an empty one.
    func text(_ name: String) -> String? {
        attributes[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    func integer(_ name: String) -> Int? { attributes[name].flatMap { Int($0) } }

    func isOn(_ name: String) -> Bool { text(name) == "1" }

    /// The identifiers of the objects that a relationship leads to.
    func ids(_ name: String) -> [String] { references[name] ?? [] }

    /// A keyed archive; nil for none.
    func archive(_ name: String) throws(ArchiveError) -> KeyedArchive? {
        // Base64 may come in several lines, and `Data` takes no white space in it.
        guard let text = text(name)?.filter({ !$0.isWhitespace }), !text.isEmpty else { return nil }
        guard let data = Data(base64Encoded: text) else {
            throw ArchiveError(reason: "line \(line): the data of \(name) is not valid Base64")
        }
        do throws(ArchiveError) {
            return try KeyedArchive(data)
        } catch {
            throw ArchiveError(reason: "line \(line): the data of \(name): \(error.reason)")
        }
    }
}
