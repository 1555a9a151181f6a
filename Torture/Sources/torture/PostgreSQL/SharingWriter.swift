#if PostgreSQL
import CoreData
import Foundation
import MergeStack

/// Saves what others can tell from outside: new rows, changed ones, numbers that all add to, names that
/// only one may have.
///
/// > Threading: One thread.
///
/// @unchecked: that thread has it alone.
final class SharingWriter: @unchecked Sendable {
    private let child: Int
    private let number: Int
    private let context: NSManagedObjectContext
    private let tell: @Sendable (String) -> Void

    init(
        _ child: Int,
        _ number: Int,
        _ stack: NotificationMergeStack,
        _ tell: @escaping @Sendable (String) -> Void
    ) {
        self.child = child
        self.number = number
        self.tell = tell
        context = stack.makeBackgroundContext()
        context.name = SharingChild.contextName(child, number)
        context.mergePolicy = NSErrorMergePolicy
    }

    /// Makes a save, and tells what became of it: a word for the outcome, one for what was changed and
    /// its name.
    func save(_ save: Int) {
        context.inQueue {
            let what: String
            do {
                what = try change(save)
            } catch {
                tell("error nothing can be read: \(Sentence.of(error))")
                return context.rollback()
            }
            do {
                try context.save()
                tell("\(SaveOutcome.saved) \(what)")
            } catch {
                let outcome = SaveOutcome(error)
                tell("\(outcome) \(what) \(Sentence.of(error))")
                context.rollback()
                // As programs do that try again, and for a server that is starting.
                if outcome != .refused { usleep(10_000) }
            }
        }
    }

    private func change(_ save: Int) throws -> String {
        let own = "\(child)-\(number)-\(save)"
        switch save % 4 {
        case 1:
            let item = context.make("Item", own)
            item.setValue(Int64(save), forKey: "value")
            item.setValue(try context.all("Owner").first, forKey: "owner")
            return "item \(own)"
        case 2:
            let name = SharingChild.counterName(save / 4 % SharingChild.counterCount)
            let counter = try context.only("Item", name)
            // What others have done since the last time is no conflict.
            context.refresh(counter, mergeChanges: false)
            counter.setValue((counter.value(forKey: "value") as? Int64 ?? 0) + 1, forKey: "value")
            return "add \(name)"
        case 3:
            context.make("Tag", "tag-\(save)")
            return "tag tag-\(save)"
        default:
            let name = "\(child)-\(number)-\(save - 3)"
            let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
            request.predicate = NSPredicate(format: "name == %@", name)
            guard let item = try context.fetch(request).first else {
                // Its own save has failed.
                context.make("Entry", own)
                return "entry \(own)"
            }
            item.setValue("noted", forKey: "note")
            return "note \(name)"
        }
    }
}
#endif
