import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Access to values by subscript.
@Suite struct ObjectSubscriptTests {
    /// As clients have written it before Apple's framework had one.
    final class Labelled: NSManagedObject {
        subscript(name: String) -> Any? {
            get { value(forKey: "label").map { "\(name): \($0)" } }
            set { setValue(newValue, forKey: "label") }
        }
    }

    @Test func aSubscriptIsAccessByKey() throws {
        let model = SampleModel.make()
        try withExtendedLifetime(model) {
            let entity = try #require(model.entitiesByName["Tag"])
            let tag = NSManagedObject(entity: entity, insertInto: nil)
            tag["label"] = "red"
            #expect(tag["label"] as? String == "red")
            #expect(tag.value(forKey: "label") as? String == "red")
        }
    }

    @Test func aClassMayHaveASubscriptOfItsOwn() throws {
        let model = SampleModel.make()
        try withExtendedLifetime(model) {
            let entity = try #require(model.entitiesByName["Tag"])
            let tag = Labelled(entity: entity, insertInto: nil)
            tag["anything"] = "red"
            #expect(tag["colour"] as? String == "colour: red")
        }
    }
}
