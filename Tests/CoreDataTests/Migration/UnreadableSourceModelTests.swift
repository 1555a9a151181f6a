import Foundation
import Testing

@testable import CoreData

/// Stores to be migrated that can't be read at the moment.
@Suite(.serialized) struct UnreadableSourceModelTests {
    private static func model(isNew: Bool) -> NSManagedObjectModel {
        let note = makeEntity("Note", [makeAttribute("name")])
        if isNew { note.properties.append(makeAttribute("added")) }
        return makeModel([note])
    }

    /// What to do about an error of the disk is not to look for a model or a mapping.
    @Test(arguments: FaultyFiles.Fault.allCases)
    func anErrorOfTheDiskIsNotTakenForAMissingModel(fault: FaultyFiles.Fault) throws {
        FaultyFiles.install
        let fixture = try MigrationFixture(Self.model(isNew: false)) {
            $0.insert("Note", ["name": "n"])
        }
        var target = 0, operationCount = 0, failureCount = 0
        repeat {
            target += 1
            let folder = fixture.folder.appendingPathComponent("\(target)", isDirectory: true)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let url = folder.appendingPathComponent("Store.sqlite")
            try FileManager.default.copyItem(at: fixture.url, to: url)
            operationCount = FaultyFiles.whileFailing(fault, at: target, of: .reads, in: folder) {
                do {
                    let coordinator = NSPersistentStoreCoordinator(
                        managedObjectModel: Self.model(isNew: true)
                    )
                    _ = try coordinator.addPersistentStore(
                        type: .sqlite,
                        at: url,
                        options: [
                            NSMigratePersistentStoresAutomaticallyOption: true,
                            NSInferMappingModelAutomaticallyOption: true,
                        ]
                    )
                } catch {
                    failureCount += 1
                    let code = (error as NSError).code
                    #expect(
                        code != NSMigrationMissingSourceModelError
                            && code != NSMigrationMissingMappingModelError
                            && code != NSPersistentStoreIncompatibleVersionHashError,
                        "operation \(target): \(error)"
                    )
                }
            }
        } while target <= operationCount
        #expect(failureCount > 5)
    }
}
