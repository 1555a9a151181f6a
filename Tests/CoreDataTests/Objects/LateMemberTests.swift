import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A class whose members for key-value access come with an image that is loaded later.
private final class LateNote: NSManagedObject {
    var shout: String { "LATE" }
}

/// Whether the image is loaded that has the list below, as far as this can be told: an image that is
/// there when the tests begin can't be loaded later, so the list is empty until then.
private let isLoaded = Locked(false)

private final class KeyedPropertyList: _KeyedProperties {
    override class func add(to list: inout _KeyedPropertyList) {
        guard isLoaded.withLock({ $0 }) else { return }
        list.add("shout", \LateNote.shout, as: .exposed)
    }
}

@Suite struct LateMemberTests {
    @Test func membersOfImagesThatAreLoadedLaterAreFound() throws {
        let entity = NSEntityDescription()
        entity.name = "LateNote"
        entity.managedObjectClassName = NSStringFromClass(LateNote.self)
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let stack = try TestStack(.inMemory, model: model)
        @Sendable func make(in context: NSManagedObjectContext) -> NSManagedObject {
            NSEntityDescription.insertNewObject(forEntityName: "LateNote", into: context)
        }
        let early = stack.makeContext(), late = stack.makeContext()
        early.performAndWait {
            _ = make(in: early)
            #expect(KeyedPropertyTable.table(of: LateNote.self) == nil)
        }
        let count = ClassCatalog.imageCount
        // Any image with Swift types that nothing here uses.
        guard dlopen("libswiftDistributed.so", RTLD_NOW) != nil, ClassCatalog.imageCount > count
        else { return }
        isLoaded.withLock { $0 = true }
        late.performAndWait {
            #expect(make(in: late).value(forKey: "shout") as? String == "LATE")
        }
        withExtendedLifetime(stack) {}
    }
}
