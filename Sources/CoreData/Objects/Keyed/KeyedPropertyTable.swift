import Foundation

/// The members written in Swift that key-value coding finds in objects of one class, inherited ones
/// included.
///
/// > Threading: Any thread.
final class KeyedPropertyTable: Sendable {
    private let properties: [String: KeyedProperty]
    let validators: [String: KeyedValidator]
    let dependencies: [String: KeyedDependencies]
    /// Whether the class overrides `validateValue(_:forKey:)` with a pointer.
    let validatesByPointer: Bool

    private init(
        _ properties: [String: KeyedProperty],
        _ all: Members,
        _ type: NSManagedObject.Type
    ) {
        self.properties = properties
        validators = NamedConvention.table(all.validators, of: type)
        dependencies = NamedConvention.table(all.dependencies, of: type)
        validatesByPointer = all.pointerValidations.contains { $0.isOwned(type) }
    }

    /// Whether saves have to ask the class about values.
    var validates: Bool { validatesByPointer || !validators.isEmpty }

    private var isEmpty: Bool {
        properties.isEmpty && validators.isEmpty && dependencies.isEmpty && !validatesByPointer
    }

    /// The property for a key; nil if it is the model's.
    @inline(__always) func property(_ key: String, _ layout: EntityLayout) -> KeyedProperty? {
        guard let property = properties[key] else { return nil }
        return property.hidesModel || layout.slotsByName[key] == nil ? property : nil
    }

    // MARK: Tables of classes

    /// What the lists of all modules have; used under the lock, or never changed.
    private struct Members: @unchecked Sendable {
        // @unchecked: holds key paths, closures over them, and types.
        var properties: [KeyedProperty] = []
        var validators: [KeyedValidator] = []
        var dependencies: [KeyedDependencies] = []
        var pointerValidations: [PointerValidation] = []
        var classNames: [(name: String, type: NSManagedObject.Type)] = []
        var plainClasses: Set<ObjectIdentifier> = []
        var methods: [NamedMethod] = []
    }
    private struct Content {
        /// How many images the process had when the lists were read.
        var imageCount = -1
        var all = Members()
        /// Made of these members.
        var tables: [ObjectIdentifier: KeyedPropertyTable?] = [:]
    }
    private static let content = Locked(Content())

    /// The table of a class; nil if it has no such properties.
    static func table(of type: NSManagedObject.Type) -> KeyedPropertyTable? {
        if type == NSManagedObject.self { return nil }
        // Each time, since an image that is loaded later may add members to a class of an earlier
        // one.
        let imageCount = ClassCatalog.imageCount
        let known = content.withLock {
            $0.imageCount == imageCount ? $0.tables[ObjectIdentifier(type)] : nil
        }
        if let known { return known }
        // Outside the lock, which `allMembers` takes. Two threads may both make a table: either is
        // right.
        let table = make(type, allMembers())
        content.withLock { content in
            // Another thread may have read the lists of more images meanwhile.
            guard content.imageCount == imageCount else { return }
            content.tables[ObjectIdentifier(type)] = .some(table)
        }
        return table
    }

    /// The key of a property written in Swift; nil for other key paths.
    static func key(of keyPath: AnyKeyPath) -> String? {
        allMembers().properties.first { $0.keyPath == keyPath }?.key
    }

    /// The names that classes have in Objective-C.
    static func classNames() -> [(name: String, type: NSManagedObject.Type)] {
        allMembers().classNames
    }

    /// Whether a class is known to declare no initializer; those above it may.
    static func isPlain(_ type: AnyClass) -> Bool {
        allMembers().plainClasses.contains(ObjectIdentifier(type))
    }

    /// The method of an object by its name in Objective-C; nil if no list has one.
    static func method(_ selector: String, of object: AnyObject) -> NamedMethod? {
        allMembers().methods.first { $0.selector == selector && $0.isMethod(object) }
    }

    private static func make(
        _ type: NSManagedObject.Type,
        _ all: Members
    ) -> KeyedPropertyTable? {
        var found: [String: KeyedProperty] = [:]
        for property in all.properties where property.isOwned(type) {
            // What a subclass declares again may be set where its superclass's may not.
            if let other = found[property.key], !other.isOwned(property.owner) { continue }
            found[property.key] = property
        }
        let table = KeyedPropertyTable(found, all, type)
        return table.isEmpty ? nil : table
    }

    /// The members of all modules; read again when images have been loaded since.
    private static func allMembers() -> Members {
        let imageCount = ClassCatalog.imageCount
        let known = content.withLock { $0.imageCount == imageCount ? $0.all : nil }
        if let known { return known }
        // Outside the lock: what is called here is client code.
        var list = _KeyedPropertyList()
        for type in ClassCatalog.classes(named: _KeyedProperties.listName) {
            (type as? _KeyedProperties.Type)?.add(to: &list)
        }
        let all = Members(
            properties: list.properties,
            validators: list.validators,
            dependencies: list.dependencies,
            pointerValidations: list.pointerValidations,
            classNames: list.classNames,
            plainClasses: Set(list.plainClasses.map { ObjectIdentifier($0) }),
            methods: list.methods
        )
        content.withLock { content in
            content.imageCount = imageCount
            content.all = all
            content.tables = [:]
        }
        return all
    }
}
