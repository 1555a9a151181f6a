import TestSupport
import Testing

@testable import CoreData

/// Who is told of what the consistency check finds, and when.
@Suite(.enabled(if: ConsistencyCheck.isOn, "COREDATA_CONSISTENCY_CHECK=1 switches it on"))
struct ConsistencyReportTests {
    @Test func findingsGoToWhoAsksForThem() throws {
        try ConsistencyScene.with { scene throws in
            var found: [Inconsistency] = []
            scene.context.consistency?.onFinding = { found += $0 }
            scene.show(nil, as: "department", of: scene.people[0])
            scene.context.checkConsistency(isSettled: { false })
            let sentence = "Person/p1 shows nil for department, but its row has p1"
            #expect(found.map(\.sentence).contains(sentence))
            #expect("\(found)".contains(sentence))
            found = []
            scene.context.checkConsistency(isSettled: { true })
            #expect(found.map(\.sentence).contains(sentence))
            found = []
            NotificationCenter.default.post(
                name: ConsistencyCheck.requestName,
                object: scene.context
            )
            #expect(found.map(\.sentence).contains(sentence))
            found = []
            NotificationCenter.default.post(name: ConsistencyCheck.requestName, object: nil)
            #expect(found.isEmpty)
        }
    }

    @Test func aSaveThatLeavesSomethingWrongIsReported() throws {
        try ConsistencyScene.with { scene throws in
            var found: [Inconsistency] = []
            scene.context.consistency?.onFinding = { found += $0 }
            scene.show(nil, as: "department", of: scene.people[0])
            _ = scene.make("Department", "e")
            try scene.context.save()
            #expect(found.contains { $0.sentence.contains("shows nil for department") })
        }
    }

    /// Asks for a check while one is under way.
    private final class Curious: ConsistencyWitness {
        var answers: [[Inconsistency]] = []
        func inconsistencies(_ judge: ConsistencyJudge) -> [Inconsistency] {
            answers.append(judge.context.inconsistencies(isSettled: true))
            return []
        }
    }

    @Test func aCheckWithinACheckFindsNothing() throws {
        try ConsistencyScene.with { scene throws in
            let witness = Curious()
            scene.context.consistency?.add(witness)
            scene.show(nil, as: "department", of: scene.people[0])
            scene.expect("shows nil for department")
            #expect(witness.answers == [[]])
        }
    }
}
