/// Tells which classes stand beneath one of the framework's, by the sources of a module and of those
/// that it stands on.
struct ClassFamily {
    /// The class above all.
    enum Root: String {
        case managedObject = "NSManagedObject"
        case migrationPolicy = "NSEntityMigrationPolicy"
    }

    let root: Root
    let module: ModuleSources
    let dependencies: [ModuleSources]

    init(of root: Root, in module: ModuleSources, dependencies: [ModuleSources]) {
        self.root = root
        self.module = module
        self.dependencies = dependencies
        module.readFiles { file in file.relatedNames.contains { isMember($0, []) } }
    }

    /// Whether generated code of the module may extend a declaration's class and name its members:
    /// a class that is neither generic nor hidden, and confined to no actor.
    func isOpen(_ declaration: Declaration) -> Bool {
        let hierarchy = ClassHierarchy(module: module)
        guard declaration.whereClause.isEmpty, hierarchy.access(of: declaration) >= .internal,
            declaration.chain.allSatisfy({ $0.genericParameters.isEmpty && !$0.prefix.isIsolated }),
            let name = ClassHierarchy.simpleName(declaration.name)
        else { return false }
        if declaration.kind == .class { return isMember(declaration, []) }
        // Several types may have the name, and which of them is meant is not told: all have to do.
        let extended = declarations(name)
        return isMember(name, [])
            && extended.allSatisfy { type in
                type.chain.allSatisfy { $0.genericParameters.isEmpty && !$0.prefix.isIsolated }
            }
    }

    private func declarations(_ name: String) -> [Declaration] {
        // The module's own type hides those of other modules, as it does for the compiler.
        let own = module.readableDeclarations(name)
        return own.isEmpty ? dependencies.flatMap { $0.readableDeclarations(name) } : own
    }

    /// - Parameter seen: The names that led here.
    private func isMember(_ name: String, _ seen: Set<String>) -> Bool {
        if name == root.rawValue { return true }
        // Names are compared without the types around them, so nested classes of one name may seem
        // to inherit from each other in a circle.
        guard !seen.contains(name) else { return false }
        return declarations(name).contains { isMember($0, seen.union([name])) }
    }

    private func isMember(_ declaration: Declaration, _ seen: Set<String>) -> Bool {
        let parent: String?
        switch declaration.kind {
        case .class:
            if root == .managedObject, declaration.hasManagedMembers { return true }
            parent = declaration.inherited.first
        case .typealias: parent = declaration.aliasedType
        default: return false
        }
        guard let name = parent.flatMap(ClassHierarchy.simpleName) else { return false }
        return isMember(name, seen)
    }
}
