import SwiftSource

/// Leaves `Foundation.` out before names that module CoreData has in Foundation's place on Linux.
///
/// On Apple's platforms the plain name means the same, unless the module declares it itself.
enum QualifiedNames {
    private static let names: Set<String> = [
        "ValueTransformer", "NSValueTransformerName", "UndoManager", "NSKeyValueObservation",
        "NSKeyValueObservedChange", "NSKeyValueObservingOptions", "NSKeyValueChangeKey", "Selector",
        "NSStringFromSelector", "NSSelectorFromString", "NSStringFromClass", "NSExpression",
        "NSComparisonPredicate",
    ]

    static func apply(to file: inout PortingFile) {
        let source = file.source
        for index in file.activeTokens
        where source.isToken(index, "Foundation") && source.isToken(index + 1, ".") {
            guard let name = source.word(index + 2), names.contains(name),
                !source.isToken(index - 1, "import"), !source.isToken(index - 1, ".")
            else { continue }
            let start = source.tokens[index].range.lowerBound
            let end = source.tokens[index + 2].range.lowerBound
            let declares = source.tokens.indices.contains { place in
                source.word(place + 1) == name
                    && ["class", "struct", "enum", "typealias"].contains(source.word(place) ?? "")
            }
            // The plain name would be that of the file's own type.
            if declares {
                file.leave(index, "on Linux \(name) is in CoreData: write CoreData.\(name) there")
                continue
            }
            file.replace(start..<end, with: "")
            file.note(index, "Foundation.\(name): \(name), which is CoreData's on Linux")
        }
    }
}
