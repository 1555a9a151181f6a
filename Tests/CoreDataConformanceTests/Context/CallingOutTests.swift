import CoreData
import Dispatch
import TestSupport
import Testing

/// While a client's code is called, others can save and fetch: no lock is held then.
@Suite struct CallingOutTests {
    static let names: [Notification.Name] = [
        .NSManagedObjectContextWillSave, .NSManagedObjectContextObjectsDidChange,
        .NSManagedObjectContextDidSave, .NSManagedObjectContextDidSaveObjectIDs,
    ]

    /// Saves and fetches in another context, on another thread; whether that ended.
    private static func canOthersWork(in stack: TestStack) -> Bool {
        let done = DispatchSemaphore(value: 0)
        Thread.detachNewThread {
            let other = stack.makeContext()
            other.performAndWait {
                do {
                    other.make("Diary", ["text": "other"])
                    try other.save()
                    if try other.number("Diary") > 0 { done.signal() }
                } catch {
                    Issue.record(error)
                }
            }
        }
        return done.wait(timeout: .now() + patience) == .success
    }

    @Test(arguments: StoreKind.allCases, names)
    func observersOfASaveHoldNobodyUp(kind: StoreKind, name: Notification.Name) throws {
        try withStack(kind, model: Diary.model()) { stack in
            let context = stack.makeContext()
            nonisolated(unsafe) var answers: [Bool] = []
            let token = NotificationCenter.default.addObserver(
                forName: name,
                object: context,
                queue: nil
            ) { _ in
                answers.append(Self.canOthersWork(in: stack))
            }
            defer { NotificationCenter.default.removeObserver(token) }
            try context.onQueue {
                context.make("Diary", ["text": "a"])
                try context.save()
            }
            #expect(answers == [true])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func objectsThatAreCalledBeforeAndAfterASaveHoldNobodyUp(kind: StoreKind) throws {
        try withStack(kind, model: Diary.model()) { stack in
            let context = stack.makeContext()
            try context.onQueue {
                let diary = try #require(context.make("Diary", ["text": "a"]) as? Diary)
                var answers: [Bool] = []
                diary.onWillSave = { _ in answers.append(Self.canOthersWork(in: stack)) }
                diary.onDidSave = { _ in answers.append(Self.canOthersWork(in: stack)) }
                try context.save()
                #expect(answers == [true, true])
            }
        }
    }
}
