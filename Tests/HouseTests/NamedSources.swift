import Foundation
import SwiftSource

/// What the Swift files below a folder declare and extend, by their names without folders.
struct NamedSources {
    private struct File {
        var types: Set<String> = []
        var extended: Set<String> = []
        var members: Set<String> = []
    }
    /// Files of one name in several folders count as one.
    private var files: [String: File] = [:]
    private var types: Set<String> = []

    /// - Parameter sources: Texts by paths.
    init(_ sources: [String: String]) {
        for (path, text) in sources {
            let name = path.split(separator: "/").last.map(String.init) ?? path
            let source = SwiftSource(text)
            var file = files[name] ?? File()
            file.types.formUnion(source.names(after: Self.introducers))
            file.extended.formUnion(source.names(after: ["extension"]))
            file.members.formUnion(source.names(after: ["let", "var", "func"]))
            files[name] = file
            types.formUnion(file.types)
        }
    }

    private static let introducers: Set<String> = [
        "class", "struct", "enum", "protocol", "actor", "typealias",
    ]

    func has(file name: String) -> Bool { files[name] != nil }

    /// Whether a type is declared anywhere, and those around it.
    func declare(_ type: String) -> Bool { types.isSuperset(of: Self.parts(type)) }

    /// Whether a file declares a name, or extends the type of that name.
    func file(_ name: String, has drawn: PictureText.Name) -> Bool {
        guard let file = files[name] else { return false }
        guard drawn.isType else { return file.members.contains(drawn.text) }
        return file.types.union(file.extended).isSuperset(of: Self.parts(drawn.text))
    }

    private static func parts(_ type: String) -> [String] {
        type.split(separator: ".").map(String.init)
    }
}

extension SwiftSource {
    /// The names that follow one of some words; of a path with dots all parts.
    fileprivate func names(after introducers: Set<String>) -> Set<String> {
        var names: Set<String> = []
        for index in tokens.indices {
            guard let word = word(index), introducers.contains(word) else { continue }
            var next = index + 1
            while let name = self.word(next) {
                names.insert(name)
                guard isToken(next + 1, ".") else { break }
                next += 2
            }
        }
        return names
    }
}
