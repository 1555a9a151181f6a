import Testing

@testable import MergeBench

@Suite struct ProcessorTimeTests {
    @Test func theTextsOfTheSystemAreRead() throws {
        let time = try #require(
            ProcessorTime(
                machine: "cpu  100 10 40 800 30 5 5 10 7 0\ncpu0 1 1 1 1 1 1 1 1 0 0\n",
                process: "42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n"
            )
        )
        #expect(time == ProcessorTime(whole: 1_000, busy: 170, own: 11 + 12 + 13 + 14, stolen: 10))
        #expect(ProcessorTime(machine: "", process: "42 (a) S") == nil)
    }

    @Test func whatOthersUsedIsTheRest() {
        let before = ProcessorTime(whole: 1_000, busy: 200, own: 50, stolen: 20)
        let after = ProcessorTime(whole: 1_200, busy: 350, own: 150, stolen: 30)
        #expect(after.othersShare(since: before) == 0.25)
        #expect(before.othersShare(since: before) == nil)
        #expect(after.hostShare(since: before) == 0.05)
        #expect(before.hostShare(since: before) == nil)
        // The clocks of the machine and of a process don't tick together.
        let odd = ProcessorTime(whole: 1_100, busy: 210, own: 65, stolen: 20)
        #expect(odd.othersShare(since: before) == 0)
    }

    #if os(Linux)
    @Test func thisMachineTells() throws {
        let before = try #require(ProcessorTime.now)
        #expect(before.whole > before.busy)
        // The two count in ticks of their own, so that their sum may be more.
        #expect(before.busy >= before.own && before.busy >= before.stolen)
    }
    #endif
}
