import CoreData
import Foundation
import TestSupport
import Testing

/// An object with members that key-value coding finds by their names, as people write them.
class Ruled: NSManagedObject {
    @NSManaged var title: String?
    @NSManaged var count: Int
    var summary: String { "\(title ?? ""): \(count)" }

    class func keyPathsForValuesAffectingSummary() -> Set<String> { ["title", "count"] }
    public class func keyPathsForValuesAffectingInitial() -> NSSet { NSSet(object: "title") }
    class func keyPathsForValuesAffectingParity() -> NSSet? { NSSet(objects: "count", 1) }
    class func keyPathsForValuesAffectingLength() -> Set<NSObject> { ["title" as NSString] }
    static var keyPathsForValuesAffectingTwice: NSSet { ["count"] }

    func validateTitle(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        let title = value.pointee as? String ?? ""
        if title == "bad" { throw NSError(domain: "Ruled", code: 1) }
        if title.hasPrefix(" ") {
            value.pointee = title.trimmingCharacters(in: .whitespaces) as NSString
        }
    }
}

/// One beneath it that checks all values.
final class StrictlyRuled: Ruled {
    override func validateValue(
        _ value: AutoreleasingUnsafeMutablePointer<AnyObject?>,
        forKey key: String
    ) throws {
        try super.validateValue(value, forKey: key)
        if key == "count", value.pointee as? Int == 13 { throw NSError(domain: "Ruled", code: 2) }
    }
}

extension TestStack {
    /// Keeps the stack for as long as the block runs.
    fileprivate func perform(
        _ context: NSManagedObjectContext,
        _ body: () throws -> Void
    ) rethrows {
        try withExtendedLifetime(self) { try context.onQueue(body) }
    }
}

@Suite struct NamedConventionTests {
    private func makeContext(
        _ type: Ruled.Type
    ) throws -> (stack: TestStack, context: NSManagedObjectContext) {
        let entity = LibraryModel.entity(
            "Ruled",
            type,
            [LibraryModel.attribute("title", .string), LibraryModel.attribute("count", .integer64)]
        )
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let stack = try TestStack(.inMemory, model: model)
        return (stack, stack.makeContext())
    }

    @Test(arguments: [Ruled.self, StrictlyRuled.self])
    func savesCallTheMethodForAKey(type: Ruled.Type) throws {
        let (stack, context) = try makeContext(type)
        try stack.perform(context) {
            let object = type.init(context: context)
            object.title = "bad"
            #expect(throws: NSError(domain: "Ruled", code: 1)) { try context.save() }
            object.title = "  padded"
            try context.save()
            #expect(object.title == "padded" && !context.hasChanges)
        }
    }

    @Test func valuesAreCheckedOnRequest() throws {
        let (stack, context) = try makeContext(Ruled.self)
        try stack.perform(context) {
            let object = Ruled(context: context)
            var value: AnyObject? = " x" as NSString
            try object.validateValue(&value, forKey: "title")
            #expect(value as? String == "x")
            value = "bad" as NSString
            #expect(throws: NSError(domain: "Ruled", code: 1)) {
                try object.validateValue(&value, forKey: "title")
            }
        }
    }

    @Test func savesCallTheOverrideForAllKeys() throws {
        let (stack, context) = try makeContext(StrictlyRuled.self)
        try stack.perform(context) {
            let object = StrictlyRuled(context: context)
            object.count = 13
            #expect(throws: NSError(domain: "Ruled", code: 2)) { try context.save() }
            object.count = 12
            try context.save()
        }
    }

    @Test func keysMayComeInAnyKindOfSet() {
        let expected: [String: Set<String>] = [
            "summary": ["title", "count"], "initial": ["title"], "parity": ["count"],
            "length": ["title"], "twice": ["count"],
        ]
        for (key, keys) in expected {
            #expect(Ruled.keyPathsForValuesAffectingValue(forKey: key) == keys, "\(key)")
        }
    }

    @Test func observersFollowWhatAPropertyStandsOn() throws {
        let (stack, context) = try makeContext(Ruled.self)
        stack.perform(context) {
            let object = Ruled(context: context)
            var told: [String?] = []
            let token = object.observe(\.summary, options: .new) { told.append($1.newValue) }
            object.title = "a"
            object.count = 2
            #expect(told == ["a: 0", "a: 2"])
            token.invalidate()
            #expect(NSExpression(forKeyPath: \Ruled.summary).keyPath == "summary")
        }
    }
}
