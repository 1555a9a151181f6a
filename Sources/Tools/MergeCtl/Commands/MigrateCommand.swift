import CoreData
import MergeStack

/// `mergectl migrate`: brings a store to another version of its model.
enum MigrateCommand: Command {
    static let syntax = CommandSyntax(
        name: "migrate",
        summary: "Migrate a store to another version of its model.",
        operands: "STORE",
        operandCount: 1...1,
        options: [
            .value(
                "to",
                "MODEL",
                "The version to go to, or a model: its current one.",
                isRequired: true
            ),
            .value("through", "MODELS", "A model with versions to go through, in order of names."),
            .flag("dry-run", "Say what would happen, and write nothing."),
            .flag("drop-entities", "Migrate though entities go with their objects."),
        ],
        discussion: [
            "The store's own version is looked for among the versions given, beside MODEL, and in",
            "the store itself. Each step is one transaction: if one fails, the store is whole, at",
            "the version before it. A migration that would drop all entities, or one with objects,",
            "is refused without --drop-entities.",
        ]
    )

    #if canImport(ObjectiveC)
    static func run(_ arguments: ParsedArguments) throws {
        throw CommandError(
            "Migrating is left to Apple's framework here: add the store with "
                + "NSMigratePersistentStoresAutomaticallyOption."
        )
    }
    #else
    static func run(_ arguments: ParsedArguments) throws {
        let path = arguments.operands[0]
        try StoreAccess.checkExists(path)
        let versions = try arguments["through"].map {
            try NSManagedObjectModel.versions(readingFrom: URL(fileURLWithPath: $0))
        }
        let plan = try StoreMigrationPlan(
            forStoreAt: URL(fileURLWithPath: path),
            to: StoreAccess.model(arguments.required("to")),
            through: versions ?? []
        )
        guard !plan.steps.isEmpty else {
            Terminal.print("The store \(path) is of this version already.")
            return
        }
        if arguments.has("dry-run") {
            try forecast(plan, allowsDropping: arguments.has("drop-entities"))
        } else {
            if !arguments.has("drop-entities") { try checkDropping(plan) }
            try plan.run { printStep($0, of: plan) }
            Terminal.print("The store \(path) is migrated.")
        }
    }

    /// Refuses a plan in which objects go without replacement.
    private static func checkDropping(_ plan: StoreMigrationPlan) throws {
        let lost = plan.steps.flatMap(\.lostEntities)
        guard !lost.isEmpty else { return }
        let names = lost.map { entity in
            entity.name + (entity.objectCount.map { " (\($0) objects)" } ?? "")
        }
        throw CommandError(
            "The migration would drop \(names.joined(separator: ", ")) without replacement; nothing "
                + "was written. Check that store and model belong together, or add --drop-entities."
        )
    }

    private static func forecast(_ plan: StoreMigrationPlan, allowsDropping: Bool) throws {
        for number in plan.steps.indices { printStep(number, of: plan) }
        guard plan.steps.allSatisfy(\.canRun) else {
            throw CommandError("The migration would fail: a step needs a mapping model.")
        }
        if !allowsDropping { try checkDropping(plan) }
        Terminal.print("Nothing was written.")
    }

    private static func printStep(_ number: Int, of plan: StoreMigrationPlan) {
        let step = plan.steps[number]
        Terminal.print("Step \(number + 1) of \(plan.steps.count): to \(step.name)")
        if step.hasMappingModel {
            Terminal.print("  by a mapping model; inferred, it would be:")
        }
        let rows = step.forecast.changes.map { change in
            (change.entity + (change.property.map { "." + $0 } ?? ""), change.text)
        }
        HelpText.columns(rows.isEmpty ? [("all entities", "stay as they are")] : rows)
            .forEach(Terminal.print)
    }
    #endif
}
