import Foundation

/// The functions of `$manager` that expressions of mapping models call, by Apple's names.
enum ManagerFunction: String {
    case destinationInstancesForEntityMapping =
        "destinationInstancesForEntityMappingNamed:sourceInstances:"
    case destinationInstancesForSourceRelationship =
        "destinationInstancesForSourceRelationshipNamed:sourceInstances:"
    case sourceInstancesForEntityMapping =
        "sourceInstancesForEntityMappingNamed:destinationInstances:"
    case fetchRequest = "fetchRequestForSourceEntityNamed:predicateString:"
    case sourceEntity = "sourceEntityForEntityMapping:"
    case destinationEntity = "destinationEntityForEntityMapping:"
}

/// What the expressions of a mapping are evaluated with.
struct MigrationScope {
    private let policy: NSEntityMigrationPolicy
    private let mapping: NSEntityMapping
    private let manager: NSMigrationManager
    private let source: NSManagedObject?
    private let variables: [String: Any]

    init(
        _ policy: NSEntityMigrationPolicy,
        _ mapping: NSEntityMapping,
        _ property: NSPropertyMapping?,
        _ manager: NSMigrationManager,
        _ source: NSManagedObject?,
        _ destination: NSManagedObject?
    ) {
        self.policy = policy
        self.mapping = mapping
        self.manager = manager
        self.source = source
        var variables: [String: Any] = [
            NSMigrationManagerKey: manager, NSMigrationEntityMappingKey: mapping,
            NSMigrationEntityPolicyKey: policy,
        ]
        variables[NSMigrationSourceObjectKey] = source
        variables[NSMigrationDestinationObjectKey] = destination
        variables[NSMigrationPropertyMappingKey] = property
        self.variables = variables
    }

    /// - Throws: 134170 that names the property, unless the destination's entity has it.
    func check(_ isThere: Bool, _ property: String) throws {
        guard !isThere else { return }
        throw failure(
            "the entity \(mapping.destinationEntityName ?? "") has no \"\(property)\" of that kind"
        )
    }

    /// - Throws: 134170 that names the attribute, unless it takes the value.
    func check(_ value: Any?, for attribute: NSAttributeDescription?) throws {
        // Told here, where mapping and property are known. Setting such a value would stop the
        // process.
        guard let attribute, !attribute.isTransient,
            StorageKind(attribute.attributeType).slotValue(value) == nil
        else { return }
        throw failure(
            "the value for \(mapping.destinationEntityName ?? "").\(attribute.name) is of another "
                + "type than the attribute; convert it in a policy"
        )
    }

    private func failure(_ what: String) -> CocoaError {
        CocoaError.entityMigrationPolicy(mapping.name ?? "", what)
    }

    // MARK: Values

    /// The value of an expression.
    ///
    /// - Throws: 134170 for what there is not; what a policy throws.
    func value(of expression: NSExpression) throws -> Any? {
        // Not left to the expression itself: without Objective-C no method of manager and policy
        // can be called by name, and what there is not has to be an error that names the mapping.
        switch expression.node {
        case .constant(let value): return value
        case .evaluatedObject: return source
        case .variable(let name): return try variable(name)
        case .keyPath(let operand, let path):
            return try value(at: path, of: try operand.map { try value(of: $0) } ?? source)
        case .function(let name, let arguments): return try function(name, arguments)
        case .conditional(let predicate, let first, let second):
            let isFirst = predicate.evaluate(with: source, substitutionVariables: variables)
            return try value(of: isFirst ? first : second)
        case .fetch(let request, let context, let countsOnly):
            return try fetch(value(of: request), value(of: context), countsOnly)
        case .aggregate, .setOperation, .subquery, .block, .index, .anyKey:
            return plainValue(expression)
        }
    }

    private func variable(_ name: String) throws -> Any? {
        if let value = variables[name] { return value }
        // Both may be nil, as they are for the expression that gives the sources. All others are
        // always set, so that a missing one is a mistake in the file.
        let isKnown = [NSMigrationSourceObjectKey, NSMigrationDestinationObjectKey].contains(name)
        guard isKnown else { throw failure("there is no variable $\(name) in its expressions") }
        return nil
    }

    /// The value of an expression that calls neither manager nor policy.
    private func plainValue(_ expression: NSExpression) -> Any? {
        expression.expressionValue(
            with: source,
            context: NSMutableDictionary(dictionary: variables)
        )
    }

    private func value(at path: String, of start: Any?) throws -> Any? {
        switch start {
        case let object as NSManagedObject:
            let key = path.prefix { $0 != "." }
            // Asked before, since the value of an unknown key would stop the process.
            guard object.entity.propertiesByName[String(key)] != nil else {
                throw failure("the entity \(object.entity.currentName) has no \"\(key)\"")
            }
            return object.value(forKeyPath: path)
        case let manager as NSMigrationManager:
            let key = String(path.prefix { $0 != "." })
            let value = try value(ofManager: manager, key)
            return key == path
                ? value : try self.value(at: String(path.dropFirst(key.count + 1)), of: value)
        case nil: return nil
        default: return KeyPathSteps(path).value(from: QueryValue(start)).anyValue
        }
    }

    private func value(ofManager manager: NSMigrationManager, _ key: String) throws -> Any? {
        // A fixed list: the file may come from outside, and must not reach all that a manager has.
        switch key {
        case "sourceContext": return manager.sourceContext
        case "destinationContext": return manager.destinationContext
        case "sourceModel": return manager.sourceModel
        case "destinationModel": return manager.destinationModel
        case "userInfo": return manager.userInfo
        default: throw failure("the migration manager has no \"\(key)\" for expressions")
        }
    }

    private func fetch(_ request: Any?, _ context: Any?, _ countsOnly: Bool) throws -> Any? {
        guard let request = request as? any AnyFetchRequest,
            let context = context as? NSManagedObjectContext
        else { throw failure("its fetch request expression gives no request or no context") }
        return countsOnly
            ? NSNumber(value: try context.baseCount(request)) : try context.baseFetch(of: request)
    }

    // MARK: Functions

    private func function(_ name: String, _ arguments: [NSExpression]) throws -> Any? {
        guard QueryFunction(rawValue: name) == nil else {
            // Arguments may call the manager in turn, which `plainValue` can't.
            let values = try arguments.map { NSExpression(.constant(try value(of: $0))) }
            return plainValue(NSExpression(.function(name: name, arguments: values)))
        }
        // Only functions of the manager and the policy: the file can name no other object to call.
        guard let target = arguments.first, case .variable(let variable) = target.node else {
            throw failure("its expressions call the unknown function \"\(name)\"")
        }
        let values = try arguments.dropFirst().map { try value(of: $0) }
        switch variable {
        case NSMigrationManagerKey: return try call(name, values)
        case NSMigrationEntityPolicyKey:
            return try policy.value(
                ofFunction: name,
                arguments: values,
                in: mapping,
                manager: manager
            )
        default: throw failure("its expressions call \"\(name)\" of $\(variable)")
        }
    }

    private func call(_ name: String, _ arguments: [Any?]) throws -> Any? {
        // The count is checked because the cases below rely on it; the file may have been made to
        // do harm.
        guard let function = ManagerFunction(rawValue: name),
            arguments.count == name.count(where: { $0 == ":" })
        else { throw failure("the migration manager has no function \"\(name)\"") }
        let text = arguments.first.flatMap { $0 as? String } ?? ""
        switch function {
        case .destinationInstancesForEntityMapping:
            return manager.destinationInstances(
                forEntityMappingName: text,
                sourceInstances: Self.objects(arguments[1])
            )
        case .destinationInstancesForSourceRelationship:
            return fitting(
                manager.destinationInstances(ofAnyMappingFor: Self.objects(arguments[1]))
            )
        case .sourceInstancesForEntityMapping:
            return manager.sourceInstances(
                forEntityMappingName: text,
                destinationInstances: Self.objects(arguments[1])
            )
        case .fetchRequest: return try fetchRequest(text, arguments[1] as? String ?? "")
        case .sourceEntity:
            return (arguments[0] as? NSEntityMapping).flatMap { manager.sourceEntity(for: $0) }
        case .destinationEntity:
            return (arguments[0] as? NSEntityMapping)
                .flatMap { manager.destinationEntity(for: $0) }
        }
    }

    /// The objects that the relationship takes: of one of the source's several may have been made,
    /// and of several entities.
    private func fitting(_ objects: [NSManagedObject]) -> [NSManagedObject] {
        let property = variables[NSMigrationPropertyMappingKey] as? NSPropertyMapping
        let entity = mapping.destinationEntityName
            .flatMap { manager.destinationModel.entitiesByName[$0] }
        let relationship = property?.name.flatMap { entity?.relationshipsByName[$0] }
        guard let destination = relationship?.destinationEntity else { return objects }
        return objects.filter { $0.entity.isKindOf(entity: destination) }
    }

    /// A request for objects of just that entity: sub-entities have mappings of their own.
    private func fetchRequest(_ entity: String, _ predicate: String) throws -> Any? {
        guard manager.sourceModel.entitiesByName[entity] != nil else {
            throw failure("the source model has no entity \"\(entity)\"")
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.includesSubentities = false
        if !predicate.isEmpty { request.predicate = try NSPredicate.parse(predicate) }
        return request
    }

    /// The objects that a value is or holds, in its order.
    static func objects(_ value: Any?) -> [NSManagedObject] {
        switch value {
        case let object as NSManagedObject: return [object]
        case let objects as [NSManagedObject]: return objects
        case let objects as Set<NSManagedObject>: return Array(objects)
        case let objects as NSOrderedSet: return objects.array.compactMap { $0 as? NSManagedObject }
        case let objects as NSSet: return objects.allObjects.compactMap { $0 as? NSManagedObject }
        case let objects as [Any]: return objects.compactMap { $0 as? NSManagedObject }
        default: return []
        }
    }
}
