import CoreData
import TestSupport
import Testing

// Contexts of one coordinator that save beside each other.

/// Runs a body in a context, beside another one whose saves it may merge.
func withTwo(
    _ kind: StoreKind,
    rule: NSDeleteRule = .nullifyDeleteRule,
    policy: NSMergePolicy = .mergeByPropertyObjectTrump,
    _ body: (_ context: NSManagedObjectContext, _ other: NSManagedObjectContext) throws -> Void
) throws {
    let model = SampleModel.make()
    model.entitiesByName["Department"]?.relationshipsByName["people"]?.deleteRule = rule
    try withStack(kind, model: model) { stack in
        let context = stack.makeContext(), other = stack.makeContext()
        context.mergePolicy = policy
        try context.onQueue { try body(context, other) }
    }
}

/// Has another context relate the only person to the only department.
func employ(_ other: NSManagedObjectContext) throws -> Notification {
    try didSave(of: other) {
        try $0.only("Person").setValue(try $0.only("Department"), forKey: "department")
    }
}

/// Reads an owner again whose save was merged, ahead of another one that gives it a member.
func giveAhead(
    _ context: NSManagedObjectContext,
    _ other: NSManagedObjectContext,
    _ department: NSManagedObject
) throws -> Notification {
    func first(_ context: NSManagedObjectContext) throws -> NSManagedObject {
        try #require(try context.all("Department", sortedBy: "name").first)
    }
    let change = try didSave(of: other) { try first($0).setValue(1, forKey: "code") }
    let gift = try didSave(of: other) {
        try $0.only("Person").setValue(try first($0), forKey: "department")
    }
    context.mergeChanges(fromContextDidSave: change)
    #expect(department.set("people").count == 1)
    return gift
}

/// The titles of a playlist's songs, in their order.
func titles(_ playlist: NSManagedObject) -> [String] {
    (playlist.value(forKey: "songs") as? NSOrderedSet)?.array
        .compactMap { ($0 as? NSManagedObject)?.text("title") } ?? []
}

/// Reads an object's members whenever its context says that objects have changed, as views do.
final class MemberReader: @unchecked Sendable {
    // @unchecked: the observer runs on the context's queue, which the test waits for.
    private(set) var counts: [Int] = []
    private var token: (any NSObjectProtocol)?

    init(_ owner: NSManagedObject, _ key: String) {
        nonisolated(unsafe) let owner = owner
        token = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange,
            object: owner.managedObjectContext,
            queue: nil
        ) { [weak self] _ in self?.counts.append(owner.set(key).count) }
    }

    deinit { if let token { NotificationCenter.default.removeObserver(token) } }
}
