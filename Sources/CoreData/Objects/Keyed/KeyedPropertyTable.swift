import Foundation

/// The properties written in Swift that key-value access finds in objects of one class, inherited
/// ones included.
///
/// > Threading: Any thread.
final class KeyedPropertyTable: Sendable {
    private let properties: [String: KeyedProperty]

    private init(_ properties: [String: KeyedProperty]) { self.properties = properties }

    /// The property for a key; nil if it is the model's.
    @inline(__always) func property(_ key: String, _ layout: EntityLayout) -> KeyedProperty? {
        guard let property = properties[key] else { return nil }
        return property.hidesModel || layout.slotsByName[key] == nil ? property : nil
    }

    // MARK: Tables of classes

    private struct Content {
        /// How many images the process had when the lists were read.
        var imageCount = -1
        var all: [KeyedProperty] = []
        var tables: [ObjectIdentifier: KeyedPropertyTable?] = [:]
    }
    private static let content = Locked(Content())

    /// The table of a class; nil if it has no such properties.
    static func table(of type: NSManagedObject.Type) -> KeyedPropertyTable? {
        if type == NSManagedObject.self { return nil }
        let known = content.withLock { $0.tables[ObjectIdentifier(type)] }
        if let known { return known }
        let table = make(type, allProperties())
        content.withLock { $0.tables[ObjectIdentifier(type)] = .some(table) }
        return table
    }

    private static func make(
        _ type: NSManagedObject.Type,
        _ all: [KeyedProperty]
    ) -> KeyedPropertyTable? {
        var found: [String: KeyedProperty] = [:]
        for property in all where property.isOwned(type) {
            // What a subclass declares again may be set where its superclass's may not.
            if let other = found[property.key], !other.isOwned(property.owner) { continue }
            found[property.key] = property
        }
        return found.isEmpty ? nil : KeyedPropertyTable(found)
    }

    /// The properties of all modules; read again when images have been loaded since.
    private static func allProperties() -> [KeyedProperty] {
        let imageCount = ClassCatalog.imageCount
        let known = content.withLock { $0.imageCount == imageCount ? $0.all : nil }
        if let known { return known }
        var list = _KeyedPropertyList()
        for type in ClassCatalog.classes(named: _KeyedProperties.listName) {
            (type as? _KeyedProperties.Type)?.add(to: &list)
        }
        let all = list.properties
        content.withLock { content in
            content.imageCount = imageCount
            content.all = all
        }
        return all
    }
}
