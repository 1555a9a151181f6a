import CoreData

#if !canImport(ObjectiveC)
/// What `mergectl migrate --format json` prints.
struct MigrationReport: Encodable {
    private struct Step: Encodable {
        let to: String
        let hasMappingModel: Bool
        let canRun: Bool
        let changes: [Change]
    }

    private struct Change: Encodable {
        let entity: String
        let property: String?
        let text: String
    }

    private let store: String
    private let isDryRun: Bool
    private let steps: [Step]
    private let dropped: MigrationLosses
    /// Where the store as it was is kept.
    var copy: String?
    /// Whether all steps are done.
    var isMigrated = false

    init(
        _ store: String,
        _ plan: StoreMigrationPlan,
        _ losses: MigrationLosses,
        isDryRun: Bool
    ) {
        self.store = store
        self.isDryRun = isDryRun
        dropped = losses
        steps = plan.steps.map { step in
            Step(
                to: step.name,
                hasMappingModel: step.hasMappingModel,
                canRun: step.canRun,
                changes: step.forecast.changes.map {
                    Change(entity: $0.entity, property: $0.property, text: $0.text)
                }
            )
        }
    }

    func printJSON() {
        do {
            try Terminal.print(JSONReport.text(self))
        } catch {
            Terminal.printError("mergectl: The result has no form in JSON: \(error)")
        }
    }
}
#endif
