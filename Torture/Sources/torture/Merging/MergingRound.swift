import CoreData
import Foundation
import MergeStack

/// Writers save into one store at once, main follows and saves, too, and in the end all agree: main,
/// the file, what each writer knows of its own objects, and the number of merges.
///
/// > Threading: On the main thread, whose run loop it runs.
final class MergingRound {
    struct Setting {
        var writerCount: Int
        var delivery: MergeOptions.Delivery
        var saveCount: Int
        var seed: UInt64
        var number: Int
    }

    private let setting: Setting
    private let url: URL
    private let stack: NotificationMergeStack
    private let tally = MergeTally()
    private let writers: [HistoryWriter]
    private let failures = Guarded<[String]>([])
    private var mainSaveCount = 0

    /// - Parameter dropped: Counts the saves of all rounds, if some of them are to be dropped.
    init(_ setting: Setting, in folder: URL, dropped: Guarded<Int>?) throws {
        self.setting = setting
        url = folder.appendingPathComponent("Store.sqlite")
        let tally = tally
        let stack = try NotificationMergeStack(
            model: TortureModel.first,
            stores: [NSPersistentStoreDescription(url: url)],
            options: MergeOptions(delivery: setting.delivery) { tally.take($0) }
        )
        self.stack = stack
        writers = (0..<setting.writerCount).map { number in
            HistoryWriter(
                number,
                stack,
                SeededNumbers(setting.seed, UInt64(setting.number), UInt64(number), 5),
                drops: dropped.map { SaveDropper(stack.merger, count: $0) }
            )
        }
    }

    func run() throws -> PointResult {
        try fill()
        let follower = try MainFollower(stack.mainContext)
        defer { follower.end() }
        try save(beside: follower)
        var result = PointResult(figures: [
            "merged saves": tally.mergedCount,
            "main's own saves": mainSaveCount,
            "handed over": tally.handedOverCount,
        ])
        result.violations = failures.value + judge(follower)
        follower.end()
        try stack.tearDown()
        return result
    }

    /// What is there before the first save: what all share, a list and a mark for each writer.
    private func fill() throws {
        let main = stack.mainContext
        for number in 0..<HistoryWriter.sharedCount {
            for entity in ["Item", "Owner", "Tag"] { main.make(entity, "shared-\(number)") }
        }
        for writer in 0..<setting.writerCount {
            main.make("List", HistoryWriter.listName(writer))
            main.make("Item", HistoryWriter.markName(writer))
        }
        main.make("Item", "main")
        try main.save()
    }

    /// Lets the writers run, and the main queue, until all is merged.
    private func save(beside follower: MainFollower) throws {
        let group = DispatchGroup(), start = DispatchSemaphore(value: 0)
        let failures = failures
        for writer in writers {
            let count =
                setting.saveCount / writers.count
                + (writer.number < setting.saveCount % writers.count ? 1 : 0)
            group.enter()
            let thread = Thread {
                start.wait()
                do { try writer.run(count) } catch {
                    let text = "writer \(writer.number) stops: \(Sentence.of(error))"
                    failures.withLock { $0.append(text) }
                }
                group.leave()
            }
            // As on Apple's systems.
            thread.stackSize = 512 << 10
            thread.start()
        }
        for _ in writers { start.signal() }
        while group.wait(timeout: .now()) == .timedOut {
            RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.005))
            try saveMain()
        }
        let isSettled = Guarded(false)
        stack.merger.settled { isSettled.withLock { $0 = true } }
        while !isSettled.value { RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.005)) }
    }

    /// Main's own edit: of an item of its own, and of one that others change, too.
    private func saveMain() throws {
        let main = stack.mainContext
        mainSaveCount += 1
        try main.only("Item", "main").setValue(Int64(mainSaveCount), forKey: "value")
        let shared = try main.only("Item", "shared-\(mainSaveCount % HistoryWriter.sharedCount)")
        shared.setValue("main \(mainSaveCount)", forKey: "note")
        try main.save()
    }

    // MARK: The verdict

    private func judge(_ follower: MainFollower) -> [String] {
        var wrong: [String] = []
        let dump = StoreDump(of: url)
        wrong += dump.problems
        let shown = follower.lines, filed = dump.lines.sorted()
        if shown != filed {
            let missing = filed.filter { !shown.contains($0) }
            let more = shown.filter { !filed.contains($0) }
            wrong.append(
                "main and the file differ: main lacks \(missing.count) lines "
                    + "(\(missing.first ?? "-")), it has \(more.count) others (\(more.first ?? "-"))"
            )
        }
        wrong += follower.listViolations
        for writer in writers { wrong += judge(writer, dump, follower) }
        // The first save of main comes before the follower; it is dropped, too.
        if tally.droppedCount != mainSaveCount + 1 {
            wrong.append("\(tally.droppedCount) saves were dropped, main made \(mainSaveCount + 1)")
        }
        return wrong
    }

    private func judge(
        _ writer: HistoryWriter,
        _ dump: StoreDump,
        _ follower: MainFollower
    ) -> [String] {
        var wrong: [String] = []
        let expected = writer.expectedLines.sorted(), own = writer.ownLines(dump).sorted()
        if expected != own {
            let lost = expected.filter { !own.contains($0) }
            wrong.append(
                "the file lacks \(lost.count) lines that writer \(writer.number) has saved "
                    + "(\(lost.first ?? "-")), it has \(own.filter { !expected.contains($0) })"
            )
        }
        let merged = tally.mergedCount("writer-\(writer.number)")
        if merged != writer.saveCount {
            wrong.append(
                "writer \(writer.number) has saved \(writer.saveCount) times, \(merged) are merged"
            )
        }
        // Each save sets the mark to its number, so that main has seen each number once.
        let marks = follower.marks[HistoryWriter.markName(writer.number)] ?? []
        if marks != Array(1...max(1, writer.saveCount)).prefix(writer.saveCount).map({ $0 }) {
            let place = marks.enumerated().first { $0.offset + 1 != $0.element }
            wrong.append(
                "main was told of \(marks.count) of \(writer.saveCount) saves of writer "
                    + "\(writer.number)"
                    + (place.map { ", of \($0.element) as number \($0.offset + 1)" } ?? "")
            )
        }
        return wrong
    }
}
