import CoreData
import SeededRandom
import TestSupport

extension ContextTrees {
    /// A fetch with a predicate that names objects gives what matches in memory.
    func query(_ index: Int, _ random: inout SplitMix) throws {
        let context = levels[index].context
        let kind = random.below(6)
        let isAncestorChanged = isAncestorChanged(of: index)
        let isBehind = levels[index].isBehind || !levels[index].merges || isAncestorChanged
        // What a context was not told of, it finds in the store or its parent, and shows what it
        // had read before.
        if isBehind {
            for ancestor in ancestors(of: index).reversed() {
                let context = levels[ancestor].context
                context.onQueue { context.refreshAllObjects() }
            }
        }
        try context.onQueue {
            context.processPendingChanges()
            // A parent is asked for what it shows, saved or not; registered objects show what they
            // were read with.
            if isBehind { context.refreshAllObjects() }
            let edit = RandomEdit(context: context, names: names)
            guard let author = try edit.pick("Author", &random) else { return }
            let authors = try context.all("Author").filter { _ in random.chance(2) } + [author]
            let books = try context.all("Book")
            let tag = try edit.pick("Tag", &random)
            let (entity, predicate, isWanted): (String, NSPredicate, (NSManagedObject) -> Bool) =
                switch kind {
                case 0:
                    (
                        "Book", NSPredicate(format: "author == %@", author),
                        { $0.one("author") === author }
                    )
                case 1:
                    (
                        "Author", NSPredicate(format: "self IN %@", authors),
                        { object in authors.contains { $0 === object } }
                    )
                case 2:
                    (
                        "Book", NSPredicate(format: "author IN %@", authors),
                        { book in authors.contains { $0 === book.one("author") } }
                    )
                case 3:
                    if let book = books.randomElement(using: &random) {
                        (
                            "Author", NSPredicate(format: "ANY books == %@", book),
                            { $0.many("books").contains { $0 === book } }
                        )
                    } else {
                        ("Tag", NSPredicate(format: "self == %@", author), { _ in false })
                    }
                case 4:
                    if let tag {
                        (
                            "Author", NSPredicate(format: "%@ IN tags", tag),
                            { $0.many("tags").contains { $0 === tag } }
                        )
                    } else {
                        ("Author", NSPredicate(format: "self == %@", author), { $0 === author })
                    }
                default:
                    (
                        "Book", NSPredicate(format: "NOT (author == %@)", author),
                        { $0.one("author") !== author }
                    )
                }
            log.append("level \(index) asks \(kind) of \(author.label)")
            // What has no author is neither equal nor unequal in SQL, and unequal in memory.
            let isNegated = kind == 5
            let expected = try context.all(entity).filter(isWanted)
                .filter { !isNegated || $0.one("author") != nil }
            var seen = try context.all(entity, predicate)
                .filter { !isNegated || $0.one("author") != nil }
            // An owner that others have given a member which is changed here, too, is not changed
            // itself, and is asked for below.
            let isChanged = isAncestorChanged || context.hasChanges
            if isChanged, kind == 3 {
                let wanted = Set(expected)
                seen.removeAll { !wanted.contains($0) }
            }
            try Difference.check("level \(index)'s fetch", seen.map(\.label), expected.map(\.label))
            let count = try context.count(for: Self.request(entity, predicate))
            guard isNegated || isChanged && kind == 3 || count == expected.count else {
                throw Difference("level \(index) counts \(count) of \(expected.map(\.label))")
            }
        }
    }

    /// Whether a context that a level stands on has unsaved changes.
    private func isAncestorChanged(of index: Int) -> Bool {
        ancestors(of: index).contains { ancestor in
            let context = levels[ancestor].context
            return context.onQueue { context.hasChanges }
        }
    }

    private static func request(
        _ entity: String,
        _ predicate: NSPredicate
    ) -> NSFetchRequest<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = predicate
        return request
    }
}
