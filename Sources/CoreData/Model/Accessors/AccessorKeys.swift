/// The names that the accessors of one source file stand for, as small numbers: for generated code
/// only.
///
/// > Threading: Any thread.
public struct _AccessorKeys: Sendable {
    /// The number of the first name; the others follow it.
    public let first: Int

    /// Gives each name a number that no other list of the process has.
    public init(_ names: [String]) { first = AccessorNames.add(names) }
}

/// All names that generated accessors of the process have, by number.
enum AccessorNames {
    private struct Content {
        var names: [String] = []
        var numbers: [String: [Int]] = [:]
    }
    private static let content = Locked(Content())

    static func add(_ names: [String]) -> Int {
        content.withLock { content in
            let first = content.names.count
            for name in names {
                // Source files know nothing of each other, so a name has a number for each file
                // that has it.
                content.numbers[name, default: []].append(content.names.count)
                content.names.append(name)
            }
            return first
        }
    }

    static func name(_ number: Int) -> String { content.withLock { $0.names[number] } }

    /// The numbers of those among some names that accessors have, and how many there are in all.
    static func numbers(
        of entries: [(name: String, entry: AccessorEntry)]
    ) -> (known: [(number: Int, entry: AccessorEntry)], count: Int) {
        content.withLock { content in
            var known: [(Int, AccessorEntry)] = []
            for (name, entry) in entries {
                for number in content.numbers[name] ?? [] { known.append((number, entry)) }
            }
            return (known, content.names.count)
        }
    }
}
