import SwiftSource

/// What the sources say of a type.
struct ClassHierarchy {
    let module: ModuleSources

    /// The last name of a type without its generic arguments; nil for what is no plain name.
    static func simpleName(_ type: String) -> String? {
        let base = type.prefix { $0 != "<" }
        let name = base.split(separator: ".").last.map { String($0) }
        return name?.utf8.allSatisfy(\.isWordPart) == true ? name : nil
    }

    /// The declarations that an extension may extend.
    func extended(_ declaration: Declaration) -> [Declaration] {
        guard let name = Self.simpleName(declaration.name) else { return [] }
        return module.declarations[name]?.filter { $0.kind != .typealias } ?? []
    }

    /// How far a declaration is seen, those around it included.
    func access(of declaration: Declaration) -> Access { access(of: declaration, []) }

    /// - Parameter seen: The extensions that led here. By simple names an extension may seem to
    ///   extend a type that stands in it.
    private func access(of declaration: Declaration, _ seen: [Declaration]) -> Access {
        guard !seen.contains(where: { $0 === declaration }) else { return .open }
        let seen = declaration.kind == .extension ? seen + [declaration] : seen
        let own: Access
        if declaration.kind == .extension {
            // A type that the module does not declare comes from another one, and is seen wherever
            // its name can be written.
            own = extended(declaration).map { access(of: $0, seen) }.max() ?? .open
        } else {
            own = declaration.prefix.access ?? defaultAccess(in: declaration.parent)
        }
        return min(own, declaration.parent.map { access(of: $0, seen) } ?? .open)
    }

    /// How far a member is seen.
    func access(ofMember member: Access?, in declaration: Declaration) -> Access {
        min(member ?? defaultAccess(in: declaration), access(of: declaration))
    }

    private func defaultAccess(in parent: Declaration?) -> Access {
        guard let parent, parent.kind == .extension else { return .internal }
        return parent.prefix.access ?? .internal
    }

    /// Whether a class is one of managed objects, as far as its module tells.
    func isManagedObject(_ declaration: Declaration) -> Bool { isManagedObject(declaration, []) }

    /// - Parameter seen: The classes that led here. Nested classes of one name may seem to inherit
    ///   from each other in a circle.
    private func isManagedObject(_ declaration: Declaration, _ seen: [Declaration]) -> Bool {
        guard !seen.contains(where: { $0 === declaration }) else { return false }
        let seen = seen + [declaration]
        if declaration.tree.contains(where: \.hasManagedMembers) { return true }
        return declaration.inherited.compactMap(Self.simpleName).contains { name in
            name == "NSManagedObject"
                || module.declarations[name]?.contains {
                    $0.kind == .class && isManagedObject($0, seen)
                } ?? false
        }
    }
}
