import CoreData
import Testing

/// Classes say what their keys depend on for key-value observing, which not all platforms have.
@Suite struct KeyDependencyTests {
    final class Named: NSManagedObject {
        override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
            let keys = super.keyPathsForValuesAffectingValue(forKey: key)
            return key == "initial" ? keys.union(["name"]) : keys
        }
        override class func automaticallyNotifiesObservers(forKey key: String) -> Bool {
            key == "name"
        }
    }

    @Test func overridesAreAllowedAndSuperAnswers() {
        #expect(Named.keyPathsForValuesAffectingValue(forKey: "initial") == ["name"])
        #expect(Named.keyPathsForValuesAffectingValue(forKey: "name").isEmpty)
        #expect(Named.automaticallyNotifiesObservers(forKey: "name"))
    }
}
