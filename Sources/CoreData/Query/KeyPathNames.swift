import Foundation

/// The names of the properties that Swift key paths lead to.
///
/// A key path to an `@NSManaged` property does not hold its name on this platform, so generated
/// accessors register theirs; a path to a stored property prints it.
enum KeyPathNames {
    private static let names = Locked<[AnyKeyPath: String]>([:])

    static func register(_ name: String, for keyPath: AnyKeyPath) {
        names.withLock { $0[keyPath] = name }
    }

    /// The path's name, such as `department.name`; nil if unknown.
    static func name(of keyPath: AnyKeyPath) -> String? {
        if let name = names.withLock({ $0[keyPath] }) { return name }
        // `\Person.department?.name`
        let text = String(describing: keyPath)
        guard text.hasPrefix("\\"), !text.contains("<"), let dot = text.firstIndex(of: ".") else {
            return nil
        }
        let path = text[text.index(after: dot)...].filter { $0 != "?" && $0 != "!" }
        return path.isEmpty ? nil : path
    }

    static func unknownNameMessage(_ keyPath: AnyKeyPath) -> String {
        "The property's name is not in the key path \(keyPath): generate the class's accessors "
            + "with mergectl, or use the key's string."
    }
}
