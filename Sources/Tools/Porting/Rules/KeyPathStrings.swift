import SwiftSource

/// Writes `#keyPath(Person.address.city)` as `"address.city"`, which is what it stands for.
struct KeyPathStrings {
    /// Objective-C's names of properties, by those in Swift.
    let renamedKeys: [String: String]

    /// Properties of managed objects that Objective-C calls otherwise.
    private static let getters = [
        "isInserted": "inserted", "isUpdated": "updated", "isDeleted": "deleted",
        "isFault": "fault",
    ]

    func apply(to file: inout PortingFile) {
        for index in file.activeTokens where file.source.tokens[index].kind == .directive {
            guard file.source.isToken(index, "#keyPath") else { continue }
            guard let end = file.source.closingBracket(of: index + 1),
                let path = path(of: index + 2..<end, in: file.source)
            else {
                file.leave(index, "#keyPath needs Objective-C: write the key path as a string")
                continue
            }
            let old = file.source.text(file.byteRange(index...end))
            file.replace(tokens: index...end, with: "\"\(path)\"")
            file.note(index, "\(old): \"\(path)\"")
        }
    }

    /// The key path of a dotted name without the types that it begins with.
    private func path(of tokens: Range<Int>, in source: SwiftSource) -> String? {
        var names: [String] = []
        for (place, index) in tokens.enumerated() {
            if place.isMultiple(of: 2) {
                guard let name = source.word(index) else { return nil }
                names.append(name)
            } else if !source.isToken(index, ".") {
                return nil
            }
        }
        // Types may be declared anywhere; only their upper case tells them from properties.
        let keys = names.drop { $0.first?.isUppercase == true || $0 == "self" }
        guard !keys.isEmpty else { return nil }
        return keys.map { renamedKeys[$0] ?? Self.getters[$0] ?? $0 }.joined(separator: ".")
    }
}
