import Foundation
import TestSupport
import Testing

@testable import CoreData

/// A model of a client's that uses another one as it ends.
private final class UsingModel: NSManagedObjectModel, @unchecked Sendable {
    deinit { _ = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel()) }
}

@Suite struct ModelsInUseTests {
    /// Whoever looks at a model that is held weakly may have its last reference: the model must not
    /// end behind the list's lock.
    @Test func modelsMayEndWhileOthersComeIntoUse() async {
        await #expect(processExitsWith: .success) {
            let isDone = Locked(false)
            let users = DispatchGroup()
            DispatchQueue.global().async(group: users) {
                let model = NSManagedObjectModel()
                while !isDone.withLock({ $0 }) {
                    ModelsInUse.add(model, objectClass: ManagedObjectClass.resolve)
                }
            }
            DispatchQueue.global().async(group: users) {
                var random = SplitMix(seed: 1)
                // Fewer where the machine is busy.
                let end = ContinuousClock.now + .seconds(2)
                for _ in 0..<8_000 where ContinuousClock.now < end {
                    let model = UsingModel()
                    ModelsInUse.add(model, objectClass: ManagedObjectClass.resolve)
                    // So that it ends at any moment of the others' looking.
                    var rest = Int.random(in: 0..<500, using: &random)
                    while rest > 0 { rest -= 1 }
                    withExtendedLifetime(model) {}
                }
                isDone.withLock { $0 = true }
            }
            guard users.wait(timeout: .now() + 240) == .success else {
                fatalError("The list of models waits for itself.")
            }
        }
    }
}
