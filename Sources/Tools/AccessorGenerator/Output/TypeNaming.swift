import SwiftSource

/// How a generated file names the types of members.
struct TypeNaming {
    let declaration: Declaration
    let hierarchy: ClassHierarchy
    /// Whether the generated code stands outside of the class.
    let isOutside: Bool

    /// The type's name, with classes that only their file sees replaced by `NSManagedObject`: a
    /// reference is a reference.
    ///
    /// - Throws: The error made of a message, for other types that only their file sees.
    func name(of text: String, _ error: (String) -> GeneratorError) throws -> String {
        try name(of: text, [], error)
    }

    /// - Parameter seen: The type aliases that led to the text. Nested ones of one name may seem to
    ///   stand for each other.
    private func name(
        of text: String,
        _ seen: [Declaration],
        _ error: (String) -> GeneratorError
    ) throws -> String {
        var result = ""
        var rest = text[...]
        while let first = rest.first {
            let isWord = Self.isWord(first)
            let part = rest.prefix { Self.isWord($0) == isWord }
            rest = rest.dropFirst(part.count)
            // Behind a dot, the word means a type in the one before it, whose name is found
            // already.
            let isMember = result.last == "."
            let text = String(part)
            result += try isWord && !isMember ? replacement(text, seen, error) : text
        }
        return result
    }

    private static func isWord(_ character: Character) -> Bool {
        character.utf8.allSatisfy(\.isWordPart)
    }

    private func replacement(
        _ word: String,
        _ seen: [Declaration],
        _ error: (String) -> GeneratorError
    ) throws -> String {
        if isOutside, declaration.chain.contains(where: { $0.declares(parameter: word) }) {
            return "NSManagedObject"
        }
        guard let found = candidate(word), !seen.contains(where: { $0 === found }) else {
            return word
        }
        guard hierarchy.access(of: found) <= .fileprivate else {
            return isOutside || isOfEnclosingType(found) ? found.qualifiedName : word
        }
        switch found.kind {
        case .class: return hierarchy.isManagedObject(found) ? "NSManagedObject" : "AnyObject"
        case .typealias: return try name(of: found.aliasedType, seen + [found], error)
        default:
            throw error(
                "the type \(word) of an @NSManaged member is \(found.prefix.access ?? .fileprivate): "
                    + "make it internal, so that the generated accessors can name it"
            )
        }
    }

    /// Whether a type is nested in one around the declaration, and not in the declaration's own type.
    ///
    /// Inside a type its name needs no other; an extension of a nested type, which the accessors are
    /// in, does not see what the types around that have.
    private func isOfEnclosingType(_ type: Declaration) -> Bool {
        declaration.chain.dropLast().contains { Self.isNested(type, in: $0) }
            && !Self.isNested(type, in: declaration)
    }

    /// Also in an extension of the other type.
    private static func isNested(_ type: Declaration, in other: Declaration) -> Bool {
        type.parent.map { $0 === other || ClassHierarchy.simpleName(other.name) == $0.name }
            ?? false
    }

    /// What a name means: the nearest of the module's types of that name.
    private func candidate(_ word: String) -> Declaration? {
        let found = hierarchy.module.declarations[word] ?? []
        let inner = declaration.chain.reversed().lazy.compactMap { around in
            found.first { Self.isNested($0, in: around) }
        }
        let sameFile = found.filter { $0.file === declaration.file }
        let visible = found.filter { hierarchy.access(of: $0) > .fileprivate }
        return inner.first ?? sameFile.first { $0.parent == nil } ?? visible.first
    }
}

extension Declaration {
    /// Whether a name is one of the generic parameters.
    func declares(parameter name: String) -> Bool {
        NeededTypes.words(in: genericParameters).contains(name)
    }
}
