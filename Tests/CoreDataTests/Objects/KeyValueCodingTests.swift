import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Classes that are no managed objects: on Apple's platforms they inherit from `NSObject` for this.
@Suite struct KeyValueCodingTests {
    /// A class of a client's that takes part in key paths.
    private final class Holder: KeyValueCoding {
        var held: NSManagedObject?
        var list: [Any] = []

        func value(forKey key: String) -> Any? { key == "list" ? list : held }
        func setValue(_ value: Any?, forKey key: String) {
            if key == "list" {
                list = value as? [Any] ?? []
            } else {
                held = value as? NSManagedObject
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func classesOfClientsTakePart(kind: StoreKind) throws {
        let stack = try TestStack(kind)
        let context = stack.makeContext()
        try context.onQueue {
            let person = NSEntityDescription.insertNewObject(forEntityName: "Person", into: context)
            person.setValue("A", forKey: "name")
            let holder = Holder()
            holder.setValuesForKeys(["held": person])
            #expect(holder.value(forKeyPath: "held.name") as? String == "A")
            holder.setValue("B", forKeyPath: "held.name")
            #expect(holder.held?.value(forKey: "name") as? String == "B")
            let list = holder.mutableArrayValue(forKey: "list")
            list.add(1)
            list.add(2)
            list.removeObject(at: 0)
            #expect(holder.list as? [Int] == [2])
            var value: Any? = 7
            try holder.validateValue(&value, forKey: "held")
            #expect(value as? Int == 7)
        }
    }
}
