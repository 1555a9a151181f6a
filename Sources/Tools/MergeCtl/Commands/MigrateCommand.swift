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
            .flag("yes", "Agree to all that would be dropped."),
            .flag("drop-entities", "Agree that entities go with their objects, and to no more."),
            .flag("no-copy", "Keep no copy of the store as it was."),
            .format,
        ] + StoreTransferCommand.options,
        discussion: [
            "The store's own version is looked for among the versions given, beside MODEL, and in",
            "the store itself. Each step is one transaction: whatever ends it, the store is whole,",
            "at the version before it or after it.",
            "",
            "Entities with objects, or all entities, that nothing in the new version replaces, and",
            "properties that go with their values, are listed first. On a terminal you are asked;",
            "elsewhere nothing is written without --yes, also not with --dry-run, which then ends",
            "with 1. Of what a mapping model drops nothing is said: it was written to do so.",
            "",
            "Before the first step the store is copied to a free name beside it, its journal and its",
            "external values included. The copy stays; remove it when all is well.",
        ] + StoreTransferCommand.discussion
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
        if try StoreTransferCommand.runs(arguments) { return }
        let path = arguments.operands[0]
        let format = try arguments.choice("format", default: ReportFormat.text)
        try StorePlace.check(path)
        let versions = try arguments["through"].map {
            try NSManagedObjectModel.versions(readingFrom: URL(fileURLWithPath: $0))
        }
        let plan = try StoreMigrationPlan(
            forStoreAt: URL(fileURLWithPath: path),
            to: StoreAccess.model(arguments.required("to")),
            through: versions ?? []
        )
        let losses = MigrationLosses(plan)
        var report = MigrationReport(path, plan, losses, isDryRun: arguments.has("dry-run"))
        // Also where it is refused: a program reads there what it would have to agree to.
        defer { if format == .json { report.printJSON() } }
        guard !plan.steps.isEmpty else {
            if format == .text {
                Terminal.print("The store \(path) is of this version already.")
            }
            return
        }
        let isAsked = format == .text && !arguments.has("dry-run") && Terminal.canAsk
        if format == .text {
            if arguments.has("dry-run") { plan.steps.indices.forEach { printStep($0, of: plan) } }
            if !losses.losses.isEmpty {
                Terminal.print("The migration of \(path) drops without replacement:")
                losses.lines.forEach(Terminal.print)
            }
        }
        try checkSteps(of: plan, path)
        let open = losses.notAgreed(arguments)
        if !open.isEmpty {
            guard isAsked else { throw MigrationLosses.refusal(open, path) }
            guard Terminal.asks("Migrate, and drop this?") else {
                throw CommandError("Nothing was written, and \(path) is as it was.")
            }
        }
        if arguments.has("dry-run") {
            if format == .text { Terminal.print("Nothing was written.") }
            return
        }
        let migration = StoreMigration(plan, path, keepsCopy: !arguments.has("no-copy"))
        report.copy = try migration.run { if format == .text { printStep($0, of: plan) } }
        report.isMigrated = true
        guard format == .text else { return }
        Terminal.print("The store \(path) is migrated.")
        if let copy = report.copy { Terminal.print("As it was, it is in \(copy)") }
    }

    /// Refuses what can't succeed, before anything is copied.
    private static func checkSteps(of plan: StoreMigrationPlan, _ path: String) throws {
        for step in plan.steps where !step.canRun {
            let reasons = step.forecast.changes.filter { !$0.isInferable }.map { change in
                "\(change.entity)\(change.property.map { "." + $0 } ?? ""): \(change.text)"
            }
            throw CommandError(
                "The store \(path) can't be migrated to \(step.name); nothing was written. "
                    + reasons.joined(separator: "; ")
                    + ". Put a mapping model beside the models, or a version in between."
            )
        }
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
