import Foundation

extension AnyKeyPath {
    /// The key path as a string, if it leads to properties of managed objects whose names are known.
    public var _kvcKeyPathString: String? { KeyPathNames.name(of: self) }
}

/// The names of the properties that Swift key paths lead to.
///
/// A path to a stored property prints its name; computed ones are named by their class, see
/// ``PropertyNaming``, or by the class of their root, see `NamedKeyPaths`.
enum KeyPathNames {
    private static let names = Locked<[AnyKeyPath: String]>([:])

    /// The path's name, such as `department.name`; nil if unknown.
    static func name(of keyPath: AnyKeyPath) -> String? {
        if let name = names.withLock({ $0[keyPath] }) { return name }
        guard
            // What costs least and is surest comes first; following a path on an object is the last
            // resort.
            let name = declaredName(of: keyPath) ?? namedRoot(of: keyPath)?.listedName(of: keyPath)
                ?? printedName(of: keyPath) ?? namedRoot(of: keyPath)?.probedName(of: keyPath)
        else { return nil }
        names.withLock { $0[keyPath] = name }
        return name
    }

    private static func declaredName(of keyPath: AnyKeyPath) -> String? {
        guard let type = type(of: keyPath).rootType as? any PropertyNaming.Type else { return nil }
        return type.propertyNames[keyPath]
    }

    private static func namedRoot(of keyPath: AnyKeyPath) -> (any NamedKeyPaths.Type)? {
        type(of: keyPath).rootType as? any NamedKeyPaths.Type
    }

    /// From `\Person.department?.name`.
    private static func printedName(of keyPath: AnyKeyPath) -> String? {
        let text = String(describing: keyPath)
        // A property without storage prints as `<computed …>`.
        guard text.hasPrefix("\\"), !text.contains("<"), let dot = text.firstIndex(of: ".") else {
            return nil
        }
        let path = text[text.index(after: dot)...].filter { $0 != "?" && $0 != "!" }
        return path.isEmpty ? nil : path
    }

    /// The path's name.
    ///
    /// - Precondition: It is known.
    static func requiredName(of keyPath: AnyKeyPath) -> String {
        guard let name = name(of: keyPath) else {
            fatalError(unknownNameMessage(keyPath))
        }
        return name
    }

    private static func unknownNameMessage(_ keyPath: AnyKeyPath) -> String {
        "The property's name is not in the key path \(keyPath): use the key's string, or let "
            + "its class conform to PropertyNaming."
    }
}

/// A class that knows how to find the names of its properties: the class of managed objects.
protocol NamedKeyPaths: AnyObject {
    /// The name that a list made with the program has for a key path; nil if none.
    static func listedName(of keyPath: AnyKeyPath) -> String?
    /// The name that comes out when a key path is followed on an object; nil if none.
    static func probedName(of keyPath: AnyKeyPath) -> String?
}
