import SwiftSource

/// Leaves `Foundation.` and `ObjectiveC.` out before names that other modules have on Linux.
///
/// On Apple's platforms the plain name means the same, unless the module declares it itself.
enum QualifiedNames {
    private static let names: Set<String> = [
        "ValueTransformer", "NSValueTransformerName", "UndoManager", "NSKeyValueObservation",
        "NSKeyValueObservedChange", "NSKeyValueObservingOptions", "NSKeyValueChangeKey", "Selector",
        "NSStringFromSelector", "NSSelectorFromString", "NSStringFromClass", "NSExpression",
        "NSComparisonPredicate",
    ]

    /// The module that has a name on Linux.
    private static func module(of name: String, in qualifier: String) -> String? {
        switch qualifier {
        case "Foundation":
            names.contains(name) ? "CoreData" : FoundationModules.module(of: name)
        case "ObjectiveC" where LegacyModules.inFoundation.contains(name): LegacyModules.foundation
        case "ObjectiveC" where name == "Selector": "CoreData"
        case "ObjectiveC" where name == "NSObject": "Foundation"
        default: nil
        }
    }

    static func apply(to file: inout PortingFile) {
        let source = file.source
        for index in file.activeTokens where source.isToken(index + 1, ".") {
            guard let qualifier = source.word(index), let name = source.word(index + 2),
                let module = module(of: name, in: qualifier),
                !source.isToken(index - 1, "import"), !source.isToken(index - 1, ".")
            else { continue }
            let start = source.tokens[index].range.lowerBound
            let end = source.tokens[index + 2].range.lowerBound
            let declares = source.tokens.indices.contains { place in
                source.word(place + 1) == name
                    && ["class", "struct", "enum", "typealias", "func"].contains(
                        source.word(place) ?? ""
                    )
            }
            // The plain name would be that of the file's own declaration.
            if declares {
                file.leave(index, "on Linux \(name) is in \(module): write \(module).\(name) there")
                continue
            }
            file.replace(start..<end, with: "")
            file.note(index, "\(qualifier).\(name): \(name), which is \(module)'s on Linux")
            // The word behind a dot is no use of the name to the rules that look for names.
            if !["CoreData", "Foundation"].contains(module) { file.neededModules.insert(module) }
        }
    }
}
