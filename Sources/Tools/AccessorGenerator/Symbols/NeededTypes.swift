import SwiftSource

/// Which types of the module and of the modules that it stands on must be known to the compiler, so
/// that it can tell the symbols of the managed members.
struct NeededTypes {
    let module: ModuleSources
    let dependencies: [ModuleSources]
    /// The modules that are imported with `@testable`.
    private let testedModules: Set<String>
    private var needed: Set<ObjectIdentifier> = []
    private var seenWords: Set<String> = []

    /// - Throws: ``GeneratorError``.
    init(module: ModuleSources, dependencies: [ModuleSources]) throws {
        self.module = module
        self.dependencies = dependencies
        let imports = module.files.flatMap(\.imports)
        testedModules = Set(imports.filter { $0.text.contains("@testable") }.map(\.module))
        for file in module.files {
            for declaration in file.allDeclarations where declaration.hasManagedMembers {
                try add(declaration)
                for property in declaration.properties { try add(wordsIn: property.type) }
                for function in declaration.functions {
                    for parameter in function.parameters { try add(wordsIn: parameter.type) }
                    try add(wordsIn: function.returnType ?? "")
                }
            }
        }
    }

    func contains(_ declaration: Declaration) -> Bool {
        needed.contains(ObjectIdentifier(declaration))
    }

    /// The dependencies with types that are needed.
    var neededDependencies: [ModuleSources] {
        dependencies.filter { $0.files.contains { $0.allDeclarations.contains(where: contains) } }
    }

    private mutating func add(_ declaration: Declaration) throws {
        // Declarations may name each other in circles, as in `class A: Base<A>`.
        guard needed.insert(ObjectIdentifier(declaration)).inserted else { return }
        if let parent = declaration.parent { try add(parent) }
        if declaration.kind == .extension { try add(wordsIn: declaration.name) }
        try add(wordsIn: declaration.genericParameters)
        try add(wordsIn: declaration.whereClause)
        try add(wordsIn: declaration.aliasedType)
        // What structures and enumerations conform to is no part of a symbol.
        if declaration.kind == .class || declaration.kind == .protocol {
            for type in declaration.inherited { try add(wordsIn: type) }
        }
    }

    private mutating func add(wordsIn text: String) throws {
        for word in Self.words(in: text) where seenWords.insert(word).inserted {
            let own = try module.lookUp(word)
            for declaration in own { try add(declaration) }
            guard own.isEmpty, !CoreDataStub.classNames.contains(word) else { continue }
            for dependency in dependencies {
                // Types that the other module keeps to itself must not stand for those of the name
                // that are meant.
                let least: Access = testedModules.contains(dependency.name) ? .internal : .package
                let hierarchy = ClassHierarchy(module: dependency)
                for declaration in try dependency.lookUp(word)
                where hierarchy.access(of: declaration) >= least {
                    try add(declaration)
                }
            }
        }
    }

    /// The words of a type.
    static func words(in text: String) -> [String] {
        text.utf8.split { !$0.isWordPart }.map { String($0) ?? "" }
    }
}
