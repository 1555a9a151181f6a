import CoreData
import Foundation
import MergeStack

extension Scenario {
    /// What the layer does with stores as a whole.
    static let layer: [Scenario] = [
        Scenario(
            name: "seeding",
            template: { try Samples.filled(seed(in: $0)) },
            isRepeatable: true,
            begin: { folder in
                let check = {
                    StoreDump(of: seed(in: folder)).lines.count == Samples.lineCount
                        ? [] : ["the prepared store has changed"]
                }
                return StepAttempt(store(in: folder), .beforeOrAfter, check: check) {
                    // False only where an earlier try has installed it: never half of it.
                    try StoreSeed(at: seed(in: folder)).install(at: store(in: folder))
                    return []
                }
            }
        )
    ]

    private static func seed(in folder: URL) -> URL { folder.appendingPathComponent("Seed.sqlite") }
}
