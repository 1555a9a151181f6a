import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A class with properties written in Swift, of which no list is generated.
private final class Label: NSManagedObject {
    var plain: String? { value(forKey: "label") as? String }
    var doubled: String { "\(value(forKey: "label") ?? "")\(value(forKey: "label") ?? "")" }
    var joined: String { "\(value(forKey: "label") ?? "")\(value(forKey: "people") ?? "")" }
    var constant: String { "label" }
    var members: NSSet? { value(forKey: "people") as? NSSet }
    var setting: Int {
        setValue(1, forKey: "count")
        return value(forKey: "label") as? Int ?? 0
    }
}

/// The name of a property that is no managed one: that of the one key that its getter asks for.
@Suite struct ProbedKeyPathTests {
    @Test func aGetterOfOneKeyHasItsName() {
        #expect(KeyPathNames.name(of: \Label.plain) == "label")
        #expect(NSSortDescriptor(keyPath: \Label.plain, ascending: true).key == "label")
    }

    @Test func askingTwiceForAKeyIsAskingForIt() {
        #expect(KeyPathNames.name(of: \Label.doubled) == "label")
    }

    @Test func gettersMaySetValuesOfTheObjectThatServesToLearnTheName() {
        #expect(KeyPathNames.name(of: \Label.setting) == "label")
    }

    @Test func aGetterOfSeveralKeysOrOfNoneHasNoName() {
        #expect(KeyPathNames.name(of: \Label.joined) == nil)
        #expect(KeyPathNames.name(of: \Label.constant) == nil)
    }

    @Test func onlyManagedObjectsAreProbed() {
        #expect(KeyPathProbe.name(of: \String.count) == nil)
    }

    @Test func changesAnnouncedByKeyPathAreToldToObservers() throws {
        let model = SampleModel.make()
        model.entitiesByName["Tag"]?.managedObjectClassName = NSStringFromClass(Label.self)
        let stack = try TestStack(.inMemory, model: model)
        let context = stack.makeContext()
        try context.onQueue {
            let object = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            let tag = try #require(object as? Label)
            var told: [String?] = []
            let token = tag.observe(\.plain, options: .new) { label, _ in told.append(label.plain) }
            tag.willChangeValue(for: \.plain)
            tag.setPrimitiveValue("quiet", forKey: "label")
            tag.didChangeValue(for: \.plain)
            #expect(told == ["quiet"])
            token.invalidate()
            tag.willChangeValue(for: \.plain)
            var late: [String?] = []
            let lateToken = tag.observe(\.plain, options: [.old, .new]) {
                late += [$1.oldValue ?? nil, $1.newValue ?? nil]
            }
            tag.setPrimitiveValue("later", forKey: "label")
            tag.didChangeValue(for: \.plain)
            #expect(late == [nil, "later"], "It came amid the change.")
            lateToken.invalidate()
            let person = NSEntityDescription.insertNewObject(
                forEntityName: "Person",
                into: context
            )
            var counts: [Int] = []
            let countToken = tag.observe(\.members) { label, _ in
                counts.append(label.members?.count ?? -1)
            }
            tag.willChangeValue(for: \.members, withSetMutation: .union, using: [person])
            tag.setPrimitiveValue(Set([person]), forKey: "people")
            tag.didChangeValue(for: \.members, withSetMutation: .union, using: [person])
            #expect(counts == [1])
            #expect(person.value(forKey: "tags") as? Set<NSManagedObject> == [tag])
            countToken.invalidate()
        }
        withExtendedLifetime(stack) {}
    }
}
