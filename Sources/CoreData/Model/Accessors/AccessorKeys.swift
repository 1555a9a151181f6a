public import Synchronization

/// The names that the accessors of one source file stand for, as small numbers: for generated code
/// only.
///
/// A constant of this type is in place when the program starts. One that had to be made at its first use
/// would have each accessor ask whether it is.
///
/// > Threading: Any thread.
public struct _AccessorKeys: ~Copyable, Sendable {
    /// The number of the first name; negative before the first use.
    @usableFromInline let first: Atomic<Int>

    /// Keys whose names are not known yet.
    @inlinable public init() { first = Atomic(-1) }

    /// The key of a name by its place in the list, which is the same at each call.
    @inlinable @inline(__always) public func key(
        _ place: Int,
        of names: () -> [String]
    ) -> Int {
        let known = first.load(ordering: .acquiring)
        return (known >= 0 ? known : add(names())) &+ place
    }

    /// Gives each name a number that no other list of the process has.
    @usableFromInline @inline(never) func add(_ names: [String]) -> Int {
        AccessorNames.add(names, once: first)
    }
}

/// All names that generated accessors of the process have, by number.
enum AccessorNames {
    private struct Content {
        var names: [String] = []
        var numbers: [String: [Int]] = [:]
    }
    private static let content = Locked(Content())

    /// Adds a list of names, or finds out that another thread has done so.
    static func add(_ names: [String], once known: borrowing Atomic<Int>) -> Int {
        content.withLock { content in
            let added = known.load(ordering: .relaxed)
            if added >= 0 { return added }
            let first = content.names.count
            // Before the lock is released, and seen with the names: whoever sees it asks for them.
            defer { known.store(first, ordering: .releasing) }
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
