import Foundation

/// Carries out one entity mapping; subclass it to make objects in another way.
///
/// A migration calls, for each mapping in turn, `begin`, `createDestinationInstances` for each of
/// the source's objects and `endInstanceCreation`; then, again for each mapping,
/// `createRelationships` for each new object and `endRelationshipCreation`; at last
/// `performCustomValidation` and `end`.
///
/// > Threading: Called on the thread that migrates.
open class NSEntityMigrationPolicy: NSObject {
    /// Makes a policy; migrations make one for each mapping.
    public required override init() { super.init() }

    /// Called first. Does nothing here.
    open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

    /// Makes the objects that one of the source's becomes: one of the destination's entity, with
    /// the values of the attribute mappings.
    ///
    /// An override that does not call this has to tell the manager of each object, by
    /// `associate(sourceInstance:withDestinationInstance:for:)`.
    open func createDestinationInstances(
        forSource sInstance: NSManagedObject,
        in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {
        guard let entity = manager.destinationEntity(for: mapping) else {
            throw CocoaError.entityMigrationPolicy(
                mapping.name ?? "",
                "the destination model has no entity \"\(mapping.destinationEntityName ?? "")\""
            )
        }
        let instance = NSManagedObject(entity: entity, insertInto: manager.destinationContext)
        for property in mapping.attributeMappings ?? [] {
            guard let name = property.name, let expression = property.valueExpression else {
                continue
            }
            let scope = MigrationScope(self, mapping, property, manager, sInstance, instance)
            let attribute = entity.attributesByName[name]
            // Both before the value is set: setting it would stop the process, and say nothing of
            // the mapping.
            try scope.check(attribute != nil, name)
            let value = try scope.value(of: expression)
            try scope.check(value, for: attribute)
            instance.setValue(value, forKey: name)
        }
        manager.associate(
            sourceInstance: sInstance,
            withDestinationInstance: instance,
            for: mapping
        )
    }

    /// Called when all objects of the mapping are made. Does nothing here.
    open func endInstanceCreation(
        forMapping mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {}

    /// Gives a new object the objects of the relationship mappings.
    open func createRelationships(
        forDestination dInstance: NSManagedObject,
        in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {
        let source = manager.sourceInstances(
            forEntityMappingName: mapping.name ?? "",
            destinationInstances: [dInstance]
        ).first
        // All objects have been made by now: an expression finds what any mapping has made.
        for property in mapping.relationshipMappings ?? [] {
            guard let name = property.name, let expression = property.valueExpression else {
                continue
            }
            let scope = MigrationScope(self, mapping, property, manager, source, dInstance)
            let relationship = dInstance.entity.relationshipsByName[name]
            try scope.check(relationship != nil, name)
            let objects = MigrationScope.objects(try scope.value(of: expression))
            if relationship?.isToMany == false {
                dInstance.setValue(objects.first, forKey: name)
            } else if relationship?.isOrdered == true {
                dInstance.setValue(NSOrderedSet(array: objects), forKey: name)
            } else {
                dInstance.setValue(Set(objects), forKey: name)
            }
        }
    }

    /// Called when all relationships of the mapping are made. Does nothing here.
    open func endRelationshipCreation(
        forMapping mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {}

    /// Called before the new objects are validated and saved. Does nothing here.
    open func performCustomValidation(
        forMapping mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws {}

    /// Called last. Does nothing here.
    open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

    /// The value of `FUNCTION($entityPolicy, "selector:", …)` in a mapping's expression.
    ///
    /// Not in Apple's framework, which calls the method of that name. Here it calls the method that the
    /// build plugin `ManagedAccessors` has found in the sources: with a result, not private, and with
    /// `@objc`, also within `#if canImport(ObjectiveC)`. Override it where the plugin does not build
    /// the class, and call the method yourself.
    ///
    /// - Throws: `NSEntityMigrationPolicyError` (134170) for a method that is not there, or takes
    ///   others than these arguments; what the method throws.
    open func value(
        ofFunction selector: String,
        arguments: [Any?],
        in mapping: NSEntityMapping,
        manager: NSMigrationManager
    ) throws -> Any? {
        let call = "its expressions call \"\(selector)\" of \(type(of: self))"
        guard let method = KeyedPropertyTable.method(selector, of: self) else {
            throw CocoaError.entityMigrationPolicy(
                mapping.name ?? "",
                call + "; declare it with @objc in a target with the plugin ManagedAccessors, or "
                    + "override value(ofFunction:arguments:in:manager:) and call it there"
            )
        }
        do {
            return try method.call(self, arguments)
        } catch let problem as NamedMethod.ArgumentProblem {
            throw CocoaError.entityMigrationPolicy(
                mapping.name ?? "",
                "\(call) \(problem.reason)"
            )
        }
    }
}
