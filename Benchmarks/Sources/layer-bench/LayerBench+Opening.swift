import Baseline
import CoreData
import Foundation

/// Opening a store that another coordinator has filled, and reading every row of it: both sides
/// open the same file anew in each round.
extension LayerBench {
    func rawOpenAndRead() throws -> Double {
        guard let storeFile else { return 0 }
        struct Record {
            var integers: [4 of Int64]
            var reals: [3 of Double]
            var texts: [3 of String]
        }
        var records: [Record] = []
        let result = milliseconds {
            let statement = Database(storeFile.path).prepare(
                "SELECT Z_PK, ZI1, ZI2, ZI3, ZI4, ZD1, ZD2, ZT, ZS1, ZS2, ZS3 FROM ZITEM"
            )
            while statement.step() {
                records.append(
                    Record(
                        integers: [
                            statement.integer(1), statement.integer(2), statement.integer(3),
                            statement.integer(4),
                        ],
                        reals: [statement.real(5), statement.real(6), statement.real(7)],
                        texts: [statement.text(8), statement.text(9), statement.text(10)]
                    )
                )
            }
        }
        precondition(records.count == items.count)
        return result
    }

    /// Objects with their rows; with `readsValues`, every value by key-value access too.
    func layerOpenAndRead(readsValues: Bool) throws -> Double {
        guard let storeFile else { return 0 }
        let model = makeModel()
        var count = 0
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        let result = try milliseconds {
            try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: storeFile
            )
            let context = makeContext(coordinator)
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                request.returnsObjectsAsFaults = false
                for object in try context.fetch(request) {
                    count += 1
                    guard readsValues else { continue }
                    for key in keys where object.value(forKey: key) == nil { count -= 1 }
                }
            }
        }
        precondition(count == items.count)
        for store in coordinator.persistentStores { try coordinator.remove(store) }
        return result
    }
}
