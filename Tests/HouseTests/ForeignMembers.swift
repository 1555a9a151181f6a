import SwiftSource

/// The public members that the Swift files of a module add to types which it does not declare.
struct ForeignMembers {
    /// Members as `Type.member`, sorted.
    let names: [String]

    /// - Parameter sources: Texts by paths.
    init(_ sources: [String: String]) {
        let files = sources.values.map { SwiftSource($0) }
        let own = files.reduce(into: Set<String>()) { $0.formUnion($1.declaredTypes) }
        names = files.flatMap { $0.publicMembersOfExtensions }
            .filter { !own.contains($0.type) }
            .map { "\($0.type).\($0.member)" }
            .sorted()
    }
}

extension SwiftSource {
    fileprivate var declaredTypes: Set<String> {
        let introducers: Set<String> = ["class", "struct", "enum", "protocol", "actor"]
        return tokens.indices.reduce(into: []) { names, index in
            guard let word = word(index), introducers.contains(word),
                let name = self.word(index + 1)
            else { return }
            names.insert(name)
        }
    }

    fileprivate var publicMembersOfExtensions: [(type: String, member: String)] {
        tokens.indices.flatMap { index -> [(type: String, member: String)] in
            guard word(index) == "extension", let type = word(index + 1),
                let open = (index..<tokens.count).first(where: { isToken($0, "{") }),
                let close = closingBracket(of: open)
            else { return [] }
            let isPublic = word(index - 1) == "public"
            return members(from: open + 1, to: close, arePublic: isPublic).map { (type, $0) }
        }
    }

    /// The names of members between the braces of an extension that are public.
    private func members(from start: Int, to end: Int, arePublic: Bool) -> [String] {
        var names: [String] = []
        var index = start
        var isPublic = arePublic
        while index < end {
            if isToken(index, "{"), let close = closingBracket(of: index) {
                index = close + 1
                isPublic = arePublic
                continue
            }
            if word(index) == "public" { isPublic = true }
            if isPublic, let word = word(index), ["func", "var", "let"].contains(word),
                let name = self.word(index + 1)
            {
                names.append(name)
                isPublic = arePublic
            }
            if isPublic, word(index) == "init" { names.append("init") }
            index += 1
        }
        return names
    }
}
