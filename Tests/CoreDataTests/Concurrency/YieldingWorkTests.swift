import Dispatch
import Foundation
import TestSupport
import Testing
import Threads

@testable import CoreData

/// Background work passes a yield point for each object, so that it never keeps main's processor for long.
@Suite struct YieldingWorkTests {
    /// How often a loop over `count` objects asks, if its clock has always moved on.
    private static let share = 20
    private static let count = share * YieldPoint.stride

    /// How often yield points of this test have asked whether main waits.
    private let questions = Guarded(0)

    private var asking: YieldPoint.Scheduling {
        let questions = questions
        let time = Guarded<UInt64>(0)
        return YieldPoint.Scheduling(
            now: {
                time.withLock { time in
                    time += YieldPoint.interval
                    return time
                }
            },
            isMainWaiting: {
                questions.withLock { $0 += 1 }
                return false
            },
            yield: {},
            // As if each thread had never asked.
            lastQuestion: { YieldPoint.LastQuestion() }
        )
    }

    /// How often `body` has asked.
    private func questions(of body: () throws -> Void) rethrows -> Int {
        let before = questions.withLock { $0 }
        try body()
        return questions.withLock { $0 } - before
    }

    private func makeStack() throws -> TestStack {
        let note = makeEntity("Note", [makeAttribute("name")])
        note.managedObjectClassName = "NSManagedObject"
        return try TestStack(.sqlite, model: makeModel([note]))
    }

    @discardableResult
    private func insert(_ count: Int, _ context: NSManagedObjectContext) -> [NSManagedObject] {
        (0..<count).map { _ in
            NSEntityDescription.insertNewObject(forEntityName: "Note", into: context)
        }
    }

    @Test func changingSavingAndFetchingAsk() throws {
        try YieldPoint.$scheduling.withValue(asking) {
            let stack = try makeStack()
            let context = stack.makeContext()
            try context.onQueue {
                // Changes pass the context's point; a save passes one for the plan, and the writer's.
                let plain = Self.share, saved = 2 * Self.share
                var notes: [NSManagedObject] = []
                #expect(questions { notes = insert(Self.count, context) } >= plain)
                let inserted = try questions { try context.save() }
                #expect(inserted >= saved)
                #expect(
                    questions { for note in notes { note.setValue("n", forKey: "name") } } >= plain
                )
                let updated = try questions { try context.save() }
                #expect(updated >= saved)
                let other = stack.makeContext()
                let fetched = try questions {
                    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
                    let count = try other.onQueue { try other.fetch(request).count }
                    #expect(count == Self.count)
                }
                #expect(fetched >= plain)
                #expect(questions { for note in notes { context.delete(note) } } >= plain)
                let deleted = try questions { try context.save() }
                #expect(deleted >= saved)
            }
        }
    }

    /// Main would wait for a lock whose holder has no processor.
    @Test func aTransactionAsksNothingWhereMainSavesToo() async throws {
        try await YieldPoint.$scheduling.withValue(asking) {
            let stack = try makeStack()
            let main = stack.makeMainContext()
            let limit = Date(timeIntervalSinceNow: patience)
            var counted = 0, isJudged = false
            // A machine that is busy may take longer for the two saves than main is remembered.
            while !isJudged, limit.timeIntervalSinceNow > 0 {
                let start = DispatchTime.now().uptimeNanoseconds
                let saved = try await completion { done in
                    main.perform {
                        NSEntityDescription.insertNewObject(forEntityName: "Note", into: main)
                        done(Result { try main.save() })
                    }
                }
                try saved.get()
                let context = stack.makeContext()
                try context.onQueue {
                    insert(Self.count, context)
                    counted = try questions { try context.save() }
                }
                let end = DispatchTime.now().uptimeNanoseconds
                isJudged = end - start < WriterLock<Int>.memory
            }
            try #require(isJudged)
            // The plan's, which is made before the lock is taken.
            #expect((Self.share..<2 * Self.share).contains(counted))
        }
    }
}
