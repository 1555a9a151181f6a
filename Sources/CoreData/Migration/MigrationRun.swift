import Foundation

/// One pass of a migration manager: the three stages of Apple's "Migration Process", first the
/// objects, then their relationships, then validation and the save.
final class MigrationRun {
    let mappings: NSMappingModel
    private(set) var current: NSEntityMapping
    // Unowned: a run lasts no longer than the call of the manager that makes it.
    private unowned let manager: NSMigrationManager
    private let url: URL
    private var steps: [(mapping: NSEntityMapping, policy: NSEntityMigrationPolicy)] = []
    private var stage: Float = 0

    init(_ manager: NSMigrationManager, _ mappings: NSMappingModel, _ url: URL) {
        self.manager = manager
        self.mappings = mappings
        self.url = url
        current = mappings.entityMappings.first ?? NSEntityMapping()
    }

    func perform() throws {
        // All policies first: a class that is missing is told before the work begins.
        steps = try mappings.entityMappings.map { ($0, try policy(of: $0)) }
        try perform { mapping, policy in
            try policy.begin(mapping, with: manager)
            if mapping.makesObjects {
                try each(try sources(of: mapping, policy)) { source in
                    try policy.createDestinationInstances(
                        forSource: source,
                        in: mapping,
                        manager: manager
                    )
                }
            }
            try policy.endInstanceCreation(forMapping: mapping, manager: manager)
        }
        try perform { mapping, policy in
            // Only the objects of this pass: those of earlier ones have their relationships
            // already.
            try each(manager.made(mapping)) { object in
                try policy.createRelationships(
                    forDestination: object,
                    in: mapping,
                    manager: manager
                )
            }
            try policy.endRelationshipCreation(forMapping: mapping, manager: manager)
        }
        try perform { try $1.performCustomValidation(forMapping: $0, manager: manager) }
        // Relationships are read by getters, which report what can't be read and give nothing.
        if let error = manager.sourceContext.firstUnreadable { throw error }
        // The only save: a migration that fails before it leaves nothing behind in a destination
        // that was there already.
        try manager.destinationContext.save()
        try perform { try $1.end($0, manager: manager) }
        manager.report(1)
    }

    // MARK: Steps

    /// Carries out one stage of each mapping; there are four.
    private func perform(
        _ body: (NSEntityMapping, NSEntityMigrationPolicy) throws -> Void
    ) throws {
        for (place, step) in steps.enumerated() {
            current = step.mapping
            try manager.checkCancellation(url)
            try body(step.mapping, step.policy)
            manager.report((stage + Float(place + 1) / Float(steps.count)) / 4)
        }
        stage += 1
    }

    private func each(
        _ objects: [NSManagedObject],
        _ body: (NSManagedObject) throws -> Void
    ) throws {
        // Read before the first object, since each object's report changes it.
        let start = manager.migrationProgress
        // A mapping has its share of one stage, and there are four stages.
        let share = 0.25 / Float(max(steps.count, 1))
        for (place, object) in objects.enumerated() {
            try manager.checkCancellation(url)
            try body(object)
            manager.report(start + share * Float(place + 1) / Float(objects.count))
        }
    }

    private func sources(
        of mapping: NSEntityMapping,
        _ policy: NSEntityMigrationPolicy
    ) throws -> [NSManagedObject] {
        if let expression = mapping.sourceExpression {
            let scope = MigrationScope(policy, mapping, nil, manager, nil, nil)
            return MigrationScope.objects(try scope.value(of: expression))
        }
        guard let entity = manager.sourceEntity(for: mapping) else {
            throw CocoaError.entityMigrationPolicy(
                mapping.name ?? "",
                "the source model has no entity \"\(mapping.sourceEntityName ?? "")\""
            )
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: entity.currentName)
        // Sub-entities have mappings of their own: their objects would be made twice.
        request.includesSubentities = false
        return try manager.sourceContext.fetch(request)
    }

    private func policy(of mapping: NSEntityMapping) throws -> NSEntityMigrationPolicy {
        guard let name = mapping.entityMigrationPolicyClassName, !name.isEmpty else {
            return NSEntityMigrationPolicy()
        }
        // The name may come without its module, or be one that `@objc` gives.
        let found = ClassByName.candidates(name, as: NSEntityMigrationPolicy.Type.self)
        guard let type = found.first else {
            throw CocoaError.entityMigrationPolicy(
                mapping.name ?? "",
                "there is no policy class \"\(name)\"; give its name with the module"
            )
        }
        return type.init()
    }
}
