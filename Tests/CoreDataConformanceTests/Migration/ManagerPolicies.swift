import CoreData
import Testing

/// What a policy was called with, in order.
final class CallLog {
    var names: [String] = []
    var progress: [Float] = []
    /// Called with the number of objects made.
    var action: ((Int) throws -> Void)?
}

/// Splits names, and notes each call.
final class NamePolicy: NSEntityMigrationPolicy {
    private func note(_ name: String, _ manager: NSMigrationManager) throws {
        let log = manager.userInfo?["calls"] as? CallLog
        log?.names.append(name)
        log?.progress.append(manager.migrationProgress)
        if name == "create" { try log?.action?(log?.names.count { $0 == "create" } ?? 0) }
        #expect(manager.currentEntityMapping.name == "PersonToPerson")
    }

    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        try note("begin", manager)
        #expect(manager.sourceEntity(for: mapping)?.name == "Person")
        #expect(manager.destinationEntity(for: mapping)?.attributesByName["first"] != nil)
    }

    override func createDestinationInstances(
        forSource sInstance: NSManagedObject,
        in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        try note("create", manager)
        let made = try manager.person(madeOf: sInstance)
        let parts = (sInstance.text("fullName") ?? "").split(separator: " ")
        made.setValue(parts.first.map(String.init), forKey: "first")
        made.setValue(parts.last.map(String.init), forKey: "last")
    }

    override func endInstanceCreation(
        forMapping mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws { try note("endInstances", manager) }

    override func createRelationships(
        forDestination dInstance: NSManagedObject,
        in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {
        try super.createRelationships(forDestination: dInstance, in: mapping, manager: manager)
        try note("relate", manager)
        let sources = manager.sourceInstances(
            forEntityMappingName: "PersonToPerson",
            destinationInstances: [dInstance]
        )
        #expect(sources.count == 1)
    }

    override func endRelationshipCreation(
        forMapping mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws { try note("endRelationships", manager) }

    override func performCustomValidation(
        forMapping mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws { try note("validate", manager) }

    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        try note("end", manager)
    }
}

/// A class that gives new objects a name.
final class Lively: NSManagedObject {
    override func awakeFromInsert() {
        super.awakeFromInsert()
        if entity.attributesByName["first"] != nil { setValue("lively", forKey: "first") }
    }
}

/// Looks at what a migration makes.
final class ClassPolicy: NSEntityMigrationPolicy {
    override func createDestinationInstances(
        forSource sInstance: NSManagedObject,
        in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
        #expect(type(of: sInstance) == NSManagedObject.self)
        let made = try manager.person(madeOf: sInstance)
        #expect(type(of: made) == NSManagedObject.self)
        #expect(made.value(forKey: "first") == nil)
        let other = NSEntityDescription.insertNewObject(
            forEntityName: "Person",
            into: manager.destinationContext
        )
        #expect(type(of: other) == NSManagedObject.self)
        manager.destinationContext.delete(other)
    }
}

extension NSMigrationManager {
    /// What the mapping of persons has made of one.
    fileprivate func person(madeOf source: NSManagedObject) throws -> NSManagedObject {
        try #require(
            destinationInstances(
                forEntityMappingName: "PersonToPerson",
                sourceInstances: [source]
            ).first
        )
    }
}
