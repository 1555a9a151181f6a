import Baseline
import CoreData
import Foundation

/// The workloads, once on bare SQLite and once on the object layer, over the same rows.
final class LayerBench {
    let items: [Item]
    private let folder: URL
    private var fileCount = 0
    let keys = ["i1", "i2", "i3", "i4", "d1", "d2", "s1", "s2", "s3", "t"]
    private var rawFilled: Database?
    private var layerFilled: NSPersistentStoreCoordinator?
    /// The store that the object layer filled last.
    private(set) var storeFile: URL?

    init(items: [Item], folder: URL) {
        self.items = items
        self.folder = folder
    }

    func nextFile() -> URL {
        fileCount += 1
        return folder.appendingPathComponent("\(fileCount).sqlite")
    }

    // MARK: Bare SQLite

    func rawInsert(batch: Int) throws -> Double {
        let database = Database(nextFile().path)
        database.execute(
            "CREATE TABLE ZITEM (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZI1 INTEGER, "
                + "ZI2 INTEGER, ZI3 INTEGER, ZI4 INTEGER, ZT TIMESTAMP, ZD1 FLOAT, ZD2 FLOAT, "
                + "ZS1 VARCHAR, ZS2 VARCHAR, ZS3 VARCHAR)"
        )
        rawFilled = database
        return milliseconds {
            let statement = database.prepare(
                "INSERT INTO ZITEM VALUES (?,1,1,?,?,?,?,?,?,?,?,?,?)"
            )
            var next = 0
            while next < items.count {
                database.execute("BEGIN IMMEDIATE")
                for _ in 0..<min(batch, items.count - next) {
                    let item = items[next]
                    statement.bind(1, Int64(next + 1))
                    statement.bind(2, item.integers.0)
                    statement.bind(3, item.integers.1)
                    statement.bind(4, item.integers.2)
                    statement.bind(5, item.integers.3)
                    statement.bind(6, item.date)
                    statement.bind(7, item.reals.0)
                    statement.bind(8, item.reals.1)
                    statement.bind(9, item.texts.0)
                    statement.bind(10, item.texts.1)
                    statement.bind(11, item.texts.2)
                    _ = statement.step()
                    statement.reset()
                    next += 1
                }
                database.execute("COMMIT")
            }
        }
    }

    func rawFetch() throws -> Double {
        guard let database = rawFilled else { return 0 }
        struct Record {
            var integers: [4 of Int64]
            var reals: [3 of Double]
            var texts: [3 of String]
        }
        var sum = 0
        let result = milliseconds {
            let statement = database.prepare(
                "SELECT Z_PK, ZI1, ZI2, ZI3, ZI4, ZD1, ZD2, ZT, ZS1, ZS2, ZS3 FROM ZITEM"
            )
            var records: [Record] = []
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
            for record in records { sum &+= Int(record.integers[0]) &+ record.texts[2].utf8.count }
        }
        precondition(sum != 0)
        return result
    }

    func rawUpdate() throws -> Double {
        guard let database = rawFilled else { return 0 }
        return milliseconds {
            let statement = database.prepare(
                "UPDATE ZITEM SET ZI1 = ?, ZS1 = ?, Z_OPT = Z_OPT + 1 WHERE Z_PK = ?"
            )
            database.execute("BEGIN IMMEDIATE")
            for key in stride(from: 1, through: items.count, by: 10) {
                statement.bind(1, Int64(-key))
                statement.bind(2, "upd-\(key)-\(fileCount)")
                statement.bind(3, Int64(key))
                _ = statement.step()
                statement.reset()
            }
            database.execute("COMMIT")
        }
    }

    // MARK: The object layer

    func makeModel() -> NSManagedObjectModel {
        let entity = NSEntityDescription()
        entity.name = "Item"
        let types: [NSAttributeType] = [
            .integer64AttributeType, .integer64AttributeType, .integer64AttributeType,
            .integer64AttributeType, .doubleAttributeType, .doubleAttributeType,
            .stringAttributeType, .stringAttributeType, .stringAttributeType, .dateAttributeType,
        ]
        entity.properties = zip(keys, types).map { key, type in
            let attribute = NSAttributeDescription()
            attribute.name = key
            attribute.attributeType = type
            return attribute
        }
        let model = NSManagedObjectModel()
        model.entities = [entity]
        return model
    }

    func makeContext(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    func layerInsert(batch: Int) throws -> Double {
        let file = nextFile()
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: makeModel())
        try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType,
            configurationName: nil,
            at: file,
            options: nil
        )
        storeFile = file
        layerFilled = coordinator
        return try milliseconds {
            var next = 0
            while next < items.count {
                let context = makeContext(coordinator)
                try context.performAndWait {
                    for _ in 0..<min(batch, items.count - next) {
                        let item = items[next]
                        let object = NSEntityDescription.insertNewObject(
                            forEntityName: "Item",
                            into: context
                        )
                        object.setValue(item.integers.0, forKey: "i1")
                        object.setValue(item.integers.1, forKey: "i2")
                        object.setValue(item.integers.2, forKey: "i3")
                        object.setValue(item.integers.3, forKey: "i4")
                        object.setValue(item.reals.0, forKey: "d1")
                        object.setValue(item.reals.1, forKey: "d2")
                        object.setValue(item.texts.0, forKey: "s1")
                        object.setValue(item.texts.1, forKey: "s2")
                        object.setValue(item.texts.2, forKey: "s3")
                        object.setValue(
                            Date(timeIntervalSinceReferenceDate: item.date),
                            forKey: "t"
                        )
                        next += 1
                    }
                    try context.save()
                }
            }
        }
    }

    func layerFetch() throws -> Double {
        guard let coordinator = layerFilled else { return 0 }
        var sum = 0
        let result = try milliseconds {
            let context = makeContext(coordinator)
            try context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
                for object in try context.fetch(request) {
                    for key in keys where object.value(forKey: key) != nil { sum &+= 1 }
                }
            }
        }
        precondition(sum == items.count * keys.count)
        return result
    }

    func layerUpdate() throws -> Double {
        guard let coordinator = layerFilled else { return 0 }
        let context = makeContext(coordinator)
        return try context.performAndWait {
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            let objects = try context.fetch(request)
            return try milliseconds {
                for index in stride(from: 0, to: objects.count, by: 10) {
                    objects[index].setValue(-index, forKey: "i1")
                    objects[index].setValue("upd-\(index)-\(fileCount)", forKey: "s1")
                }
                try context.save()
            }
        }
    }
}
