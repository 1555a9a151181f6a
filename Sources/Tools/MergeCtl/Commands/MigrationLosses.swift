import CoreData

#if !canImport(ObjectiveC)
/// What a migration would drop, and whether the user has agreed to it.
struct MigrationLosses: Encodable {
    /// An entity that goes with its objects, or a property whose values go.
    struct Loss: Encodable {
        let entity: String
        /// nil where the whole entity goes.
        let property: String?
        /// How many objects the entity has; nil if it is not known.
        let objectCount: Int?
        let text: String

        /// The loss in a few words, for a sentence.
        var short: String {
            let name = entity + (property.map { "." + $0 } ?? "")
            return objectCount.map { "\(name) (\(Self.objects($0)))" } ?? name
        }

        static func objects(_ count: Int) -> String { count == 1 ? "1 object" : "\(count) objects" }
    }

    let losses: [Loss]

    init(_ plan: StoreMigrationPlan) {
        losses = plan.steps.flatMap { step in
            step.lostEntities.map { entity in
                let what = entity.objectCount.map { "its \(Loss.objects($0))" } ?? "all objects"
                return Loss(
                    entity: entity.name,
                    property: nil,
                    objectCount: entity.objectCount,
                    text: "is removed with \(what)"
                )
            }
                + step.lostValues.map { values in
                    let whose = values.objectCount.map { ", of \(Loss.objects($0))" } ?? ""
                    return Loss(
                        entity: values.entity,
                        property: values.property,
                        objectCount: values.objectCount,
                        text: values.text + whose
                    )
                }
        }
    }

    /// The losses in two columns.
    var lines: [String] {
        HelpText.columns(
            losses.map { ($0.entity + ($0.property.map { "." + $0 } ?? ""), $0.text) }
        )
    }

    /// What the options do not agree to: `--yes` does to all, `--drop-entities` to entities only.
    func notAgreed(_ arguments: ParsedArguments) -> [Loss] {
        if arguments.has("yes") { return [] }
        return arguments.has("drop-entities") ? losses.filter { $0.property != nil } : losses
    }

    /// The refusal where nobody can be asked.
    static func refusal(_ losses: [Loss], _ path: String) -> CommandError {
        let names = losses.map(\.short).joined(separator: ", ")
        let areEntities = losses.allSatisfy { $0.property == nil }
        return CommandError(
            "The migration of \(path) would drop \(names) without replacement; nothing was written. "
                + "Check that store and model belong together, and add --yes"
                + (areEntities ? " or --drop-entities" : "") + " to agree."
        )
    }

    func encode(to encoder: any Encoder) throws { try losses.encode(to: encoder) }
}
#endif
