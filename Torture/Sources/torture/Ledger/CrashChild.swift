import CoreData
import Foundation
import MergeStack

/// A program as apps are: main follows two workers, which save as fast as they can. It goes on until it
/// is killed, and tells of each save after it has returned.
enum CrashChild {
    static let writers = 2

    /// - Parameter tellsTooEarly: The planted defect: saves are told of before they are made.
    static func run(_ url: URL, tellsTooEarly: Bool) throws -> Never {
        let description = NSPersistentStoreDescription(url: url)
        let stack = try NotificationMergeStack(
            model: TortureModel.first,
            stores: [description]
        )
        let main = stack.mainContext
        DispatchQueue.main.async {
            // Objects that main has are what there is to merge into.
            kept = (try? main.all("Item")) ?? []
            tell("ready")
            for writer in 0..<writers { start(writer, stack, tellsTooEarly) }
        }
        dispatchMain()
    }

    /// On the main queue.
    nonisolated(unsafe) private static var kept: [NSManagedObject] = []

    private static func start(
        _ writer: Int,
        _ stack: NotificationMergeStack,
        _ tellsTooEarly: Bool
    ) {
        Thread.detachNewThread {
            do {
                let context = stack.makeBackgroundContext()
                var save = try context.inQueue { try Ledger.lastSave(context, writer) }
                while true {
                    save += 1
                    if tellsTooEarly { tell("\(writer) \(save)") }
                    try context.inQueue {
                        try Ledger.change(context, writer, save)
                        try context.save()
                    }
                    if !tellsTooEarly { tell("\(writer) \(save)") }
                }
            } catch {
                tell("error \(Sentence.of(error))")
                exit(1)
            }
        }
    }

    /// One write to the pipe, where no crash of this process reaches it.
    private static func tell(_ line: String) {
        var text = line + "\n"
        _ = text.withUTF8 { write(1, $0.baseAddress, $0.count) }
    }
}
