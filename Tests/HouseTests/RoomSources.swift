import Foundation
import SwiftSource

/// The Swift files below a folder by their rooms, with the types that they declare and name.
struct RoomSources {
    /// A room whose code names a type of another one.
    struct Arrow {
        let room: String
        let other: String
        let type: String
        /// The path from the checkout, and the line of the first place.
        let file: String
        let line: Int
    }
    private struct File {
        let room: String
        let path: String
        let source: SwiftSource
    }
    private let files: [File]
    /// The rooms of the types that files declare outside of all braces and for others to see.
    private let rooms: [String: Set<String>]

    /// - Parameters:
    ///   - sources: Texts by paths from the folder.
    ///   - folder: The folder's path from the checkout.
    ///   - names: The rooms of the table: folders below it, of which the longest that fits counts.
    init(_ sources: [String: String], in folder: String, rooms names: [String]) {
        let ordered = names.sorted { $0.count > $1.count }
        files = sources.sorted { $0.key < $1.key }.map { path, text in
            let known = ordered.first { path.hasPrefix($0 + "/") }
            let parts = path.split(separator: "/")
            return File(
                room: known ?? (parts.count > 1 ? String(parts[0]) : ""),
                path: "\(folder)/\(path)",
                source: SwiftSource(text)
            )
        }
        var rooms: [String: Set<String>] = [:]
        for file in files {
            for name in file.source.outerTypes { rooms[name, default: []].insert(file.room) }
        }
        self.rooms = rooms
    }

    /// The rooms that there are files of; files beside all rooms are of the room "".
    var names: Set<String> { Set(files.map(\.room)) }

    /// The first place of each type that a file names and another room declares.
    var arrows: [Arrow] {
        files.flatMap { file in
            var seen: Set<String> = []
            return file.source.namedTypes.compactMap { name, line -> Arrow? in
                guard let owners = rooms[name], owners.count == 1, let other = owners.first,
                    other != file.room, seen.insert(name).inserted
                else { return nil }
                return Arrow(room: file.room, other: other, type: name, file: file.path, line: line)
            }
        }
    }

    /// The modules that files import, with their places.
    var imports: [(room: String, module: String, file: String, line: Int)] {
        files.flatMap { file in
            file.source.imports.map { (file.room, $0.module, file.path, $0.line) }
        }
    }
}

extension SwiftSource {
    private static let introducers: Set<String> = [
        "class", "struct", "enum", "protocol", "actor", "typealias",
    ]

    /// The types that are declared outside of all braces, but for private ones.
    fileprivate var outerTypes: [String] {
        var names: [String] = []
        var index = 0
        var isPrivate = false
        while index < tokens.count {
            if isToken(index, "{"), let end = closingBracket(of: index) {
                index = end + 1
                isPrivate = false
                continue
            }
            let word = word(index) ?? ""
            if word == "private" || word == "fileprivate" { isPrivate = true }
            if Self.introducers.contains(word), let name = self.word(index + 1) {
                if !isPrivate { names.append(name) }
                isPrivate = false
                index += 1
            }
            index += 1
        }
        return names
    }

    /// All words that begin with a capital letter or a low line, with their lines; members of
    /// something else, which a dot precedes, are left out.
    fileprivate var namedTypes: [(name: String, line: Int)] {
        tokens.indices.compactMap { index in
            guard let name = word(index), let first = name.first, first.isUppercase || first == "_",
                !isToken(index - 1, ".") || word(index - 2) == "CoreData"
            else { return nil }
            return (name, tokens[index].line)
        }
    }

    fileprivate var imports: [(module: String, line: Int)] {
        tokens.indices.compactMap { index in
            guard isToken(index, "import"), let name = word(index + 1) else { return nil }
            let kinds = Self.introducers.union(["func", "let", "var"])
            let module = kinds.contains(name) ? word(index + 2) : name
            return module.map { ($0, tokens[index].line) }
        }
    }
}
