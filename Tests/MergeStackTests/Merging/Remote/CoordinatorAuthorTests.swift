import CoreData
import Testing
import Threads

@testable import MergeStack

/// A coordinator of a client's that asks for an author as it ends.
private final class AskingCoordinator: NSPersistentStoreCoordinator, @unchecked Sendable {
    deinit {
        let model = NSManagedObjectModel()
        _ = CoordinatorAuthor.author(of: NSPersistentStoreCoordinator(managedObjectModel: model))
    }
}

@Suite struct CoordinatorAuthorTests {
    @Test func aCoordinatorHasOneAuthorOfItsOwn() {
        let model = NSManagedObjectModel()
        let coordinators = (0..<3).map { _ in
            NSPersistentStoreCoordinator(managedObjectModel: model)
        }
        let authors = coordinators.map { CoordinatorAuthor.author(of: $0) }
        #expect(Set(authors).count == 3)
        #expect(coordinators.map { CoordinatorAuthor.author(of: $0) } == authors)
    }

    /// Whoever looks at a coordinator that is held weakly may have its last reference: the
    /// coordinator must not end behind the list's lock.
    @Test func coordinatorsMayEndWhileAuthorsAreAskedFor() async {
        await #expect(processExitsWith: .success) {
            let isDone = Guarded(false)
            let users = DispatchGroup()
            DispatchQueue.global().async(group: users) {
                let model = NSManagedObjectModel()
                let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
                while !isDone.withLock({ $0 }) {
                    _ = CoordinatorAuthor.author(of: coordinator)
                }
            }
            DispatchQueue.global().async(group: users) {
                let model = NSManagedObjectModel()
                // Fewer where the machine is busy.
                let end = Date(timeIntervalSinceNow: 2)
                for number in 0..<8_000 where Date() < end {
                    let coordinator = AskingCoordinator(managedObjectModel: model)
                    _ = CoordinatorAuthor.author(of: coordinator)
                    // So that it ends at any moment of the others' looking.
                    var rest = number % 500
                    while rest > 0 { rest -= 1 }
                    withExtendedLifetime(coordinator) {}
                }
                isDone.withLock { $0 = true }
            }
            guard users.wait(timeout: .now() + 240) == .success else {
                fatalError("The list of authors waits for itself.")
            }
        }
    }
}
