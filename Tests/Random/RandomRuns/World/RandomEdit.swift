import CoreData
import SeededRandom
import TestSupport

/// Random changes of a context's objects, in words.
///
/// > Threading: On the context's queue.
struct RandomEdit {
    let context: NSManagedObjectContext
    /// Gives new objects names that no other has.
    let names: RandomNames

    /// Makes a change and says which.
    func any(_ random: inout SplitMix) throws -> String {
        switch random.below(12) {
        case 0, 1: try insert(&random)
        case 2, 3, 4: try setNumber(&random)
        case 5, 6: try setOne(&random)
        case 7: try changeTags(&random)
        case 8: try changeShelf(&random)
        case 9: try changeMany(&random)
        default: try delete(&random)
        }
    }

    func insert(_ random: inout SplitMix) throws -> String {
        let entity = random.pick(RandomModel.entities)
        let owner = entity == "Post" ? try pick("Author", &random) : nil
        if entity == "Post", owner == nil { return "inserts nothing" }
        let object = insert(entity, &random)
        if let owner { object.setValue(owner, forKey: "owner") }
        return "inserts \(object.label)\(owner.map { " of \($0.label)" } ?? "")"
    }

    @discardableResult func insert(
        _ entity: String,
        _ random: inout SplitMix
    ) -> NSManagedObject {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        object.setValue(names.next(entity), forKey: "name")
        object.setValue(random.below(100), forKey: "rank")
        object.setValue(random.below(3), forKey: "group")
        return object
    }

    func setNumber(_ random: inout SplitMix) throws -> String {
        guard let object = try pickAny(&random) else { return "sets nothing" }
        let key = random.chance(3) ? "group" : "rank"
        let value = random.below(key == "group" ? 3 : 100)
        object.setValue(value, forKey: key)
        return "sets \(key) of \(object.label) to \(value)"
    }

    func setOne(_ random: inout SplitMix) throws -> String {
        let (entity, key, other) = random.pick([
            ("Book", "author", "Author"), ("Post", "owner", "Author"), ("Desk", "author", "Author"),
            ("Author", "desk", "Desk"), ("Book", "shelf", "Shelf"),
        ])
        guard let object = try pick(entity, &random) else { return "sets nothing" }
        var target = try pick(other, &random)
        if key != "owner", random.chance(4) { target = nil }
        if key == "owner", target == nil { return "sets nothing" }
        object.setValue(target, forKey: key)
        return "sets \(key) of \(object.label) to \(target?.label ?? "nil")"
    }

    func changeTags(_ random: inout SplitMix) throws -> String {
        guard let author = try pick("Author", &random), let tag = try pick("Tag", &random) else {
            return "tags nothing"
        }
        let isFromTag = random.chance(2)
        let set =
            isFromTag
            ? tag.mutableSetValue(forKey: "authors") : author.mutableSetValue(forKey: "tags")
        let member = isFromTag ? author : tag
        let isThere = set.contains(member)
        if isThere { set.remove(member) } else { set.add(member) }
        return "\(isThere ? "takes" : "gives") \(author.label) \(tag.label)"
    }

    func changeMany(_ random: inout SplitMix) throws -> String {
        guard let author = try pick("Author", &random), let book = try pick("Book", &random) else {
            return "gives nothing"
        }
        let books = author.mutableSetValue(forKey: "books")
        let isThere = books.contains(book)
        if isThere { books.remove(book) } else { books.add(book) }
        return "\(isThere ? "takes" : "gives") \(author.label) \(book.label)"
    }

    func changeShelf(_ random: inout SplitMix) throws -> String {
        guard let shelf = try pick("Shelf", &random) else { return "orders nothing" }
        let books = try context.all("Book").shuffled(using: &random)
        let kept = Array(books.prefix(random.below(min(books.count, 4) + 1)))
        shelf.setValue(NSOrderedSet(array: kept), forKey: "books")
        return "puts \(kept.map(\.label)) on \(shelf.label)"
    }

    func delete(_ random: inout SplitMix) throws -> String {
        guard let object = try pickAny(&random) else { return "deletes nothing" }
        let label = object.label
        // Posts can't be without their owner.
        if object.entity.name == "Author", random.chance(2) {
            for post in object.many("posts") { context.delete(post) }
        }
        context.delete(object)
        return "deletes \(label)"
    }

    func pick(_ entity: String, _ random: inout SplitMix) throws -> NSManagedObject? {
        try context.all(entity).randomElement(using: &random)
    }

    func pickAny(_ random: inout SplitMix) throws -> NSManagedObject? {
        try pick(random.pick(["Author", "Author"] + RandomModel.entities + ["Book"]), &random)
    }
}

/// Names for objects, the same for the same sequence.
final class RandomNames: @unchecked Sendable {
    // @unchecked: one context at a time makes objects.
    private var count = 0

    func next(_ entity: String) -> String {
        count += 1
        return "\(entity)\(count)"
    }
}

extension Error {
    /// Whether a save was refused for what it would have stored, as validation does.
    var isRefusal: Bool {
        let error = self as NSError
        return error.domain == NSCocoaErrorDomain && (1550...1690).contains(error.code)
    }

    /// Whether a save met a conflict.
    var isConflict: Bool {
        let error = self as NSError
        return error.domain == NSCocoaErrorDomain && (133_000...133_021).contains(error.code)
    }
}
