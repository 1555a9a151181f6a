import Testing

@testable import MergeBench

@Suite struct WorkPlanTests {
    @Test(arguments: Workload.allCases, [100, 1_000, 12_345])
    func everyRowIsWrittenOnceByOneWorker(_ workload: Workload, _ rows: Int) {
        let plan = workload.plan(rows: rows, WorkloadSettings())
        let inserted = plan.workers.joined().compactMap { transaction -> Range<Int>? in
            if case .insert(let numbers) = transaction { return numbers }
            return nil
        }
        let numbers = inserted.flatMap { Array($0) }.sorted()
        switch workload {
        case .bulkImport: #expect(numbers == Array(1...rows))
        case .smallSaves: #expect(numbers == Array(1...rows / 10))
        case .editing: #expect(numbers == Array(rows / 10 + 1...rows / 10 + rows))
        case .changing: #expect(numbers.isEmpty && plan.seeds == 1..<rows / 10 + 1)
        }
        #expect(Set(plan.edits).isDisjoint(with: numbers), "main edits what was there before")
        #expect(plan == workload.plan(rows: rows, WorkloadSettings()))
    }

    @Test func workersGetBatchesInTurn() {
        #expect(
            WorkPlan.deal(1..<26, by: 10, to: 2) == [[1..<11, 21..<26], [11..<21]]
        )
        #expect(WorkPlan.deal(1..<1, by: 10, to: 2) == [[], []])
    }
}
