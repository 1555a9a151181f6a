import Testing

@testable import CoreData

@Suite struct ValidationHooksTests {
    class Plain: NSManagedObject {
        var note = ""
        override func awakeFromInsert() { note = "new" }
    }
    class Checking: Plain {
        override func validateValue(_ value: inout Any?, forKey key: String) throws {
            try super.validateValue(&value, forKey: key)
        }
    }
    final class OfChecking: Checking { var count = 0 }
    class Generic<Value>: NSManagedObject { var value: Value? }

    @Test func overridesAreFoundThroughoutAHierarchy() {
        #expect(!ValidationHooks.areOverridden(by: NSManagedObject.self))
        #expect(!ValidationHooks.areOverridden(by: Plain.self))
        #expect(!ValidationHooks.areOverridden(by: Generic<Int>.self))
        #expect(ValidationHooks.areOverridden(by: Checking.self))
        #expect(ValidationHooks.areOverridden(by: OfChecking.self))
    }
}
