import CoreData
import Threads

/// Merges slices of saves into the main context.
///
/// > Threading: The main queue, but for `init` and ``follow(_:)``'s list.
final class MainContextMerging: Sendable {
    private let main: WeakReference<NSManagedObjectContext>
    let results = FollowedResults()

    init(main: WeakReference<NSManagedObjectContext>) { self.main = main }

    var mainContext: NSManagedObjectContext? { main.object }

    /// The IDs of all saved objects that the main context has registered.
    var registeredIDs: [NSManagedObjectID] {
        (main.object?.registeredObjects ?? []).map(\.objectID).filter { !$0.isTemporaryID }
    }

    /// Merges a slice, and counts in the report what it took.
    ///
    /// Nothing of it is registered with the main context's undo manager.
    ///
    /// - Returns: False if the main context was released.
    func merge(
        _ ids: ChangedObjectIDs,
        _ notification: Notification,
        policy: MergeOptions.FaultPolicy,
        report: inout MergeReport
    ) -> Bool {
        guard let main = main.object else { return false }
        // What main itself changed is told first, by itself, and can be undone by itself.
        main.processPendingChanges()
        // Kept: observers of the merge may give the context another one, or none.
        let undoManager = main.undoManager
        undoManager?.disableUndoRegistration()
        // Before the merge, which leaves faults alone, so that nobody would hear of their updates.
        let fired = fireFaults(ids, policy, in: main, &report)
        main.mergeChanges(fromContextDidSave: notification)
        // Results controllers and observers learn of it before anybody hears of the merge.
        main.processPendingChanges()
        // Observers may have enabled it, too, by `removeAllActions()` or a roll-back, which does that.
        if undoManager?.isUndoRegistrationEnabled == false { undoManager?.enableUndoRegistration() }
        // A context holds clean objects weakly. Released before the merge, those that were read
        // would be registered no more, and the merge would pass over them.
        withExtendedLifetime(fired) {}
        return true
    }

    /// Reads the updated objects that the policy names, and counts what is registered.
    ///
    /// - Returns: The objects read, to be kept until the merge is done.
    private func fireFaults(
        _ ids: ChangedObjectIDs,
        _ policy: MergeOptions.FaultPolicy,
        in main: NSManagedObjectContext,
        _ report: inout MergeReport
    ) -> [NSManagedObject] {
        let matching =
            policy == .matchingResults ? results.updatedIDsToRead(ids.updated, in: main) : []
        var fired: [NSManagedObject] = [], registeredCount = 0
        for id in ids.updated {
            let registered = main.registeredObject(for: id)
            if registered != nil { registeredCount += 1 }
            switch policy {
            case .none: continue
            case .registered: if registered?.isFault != true { continue }
            case .matchingResults: if !matching.contains(id) { continue }
            case .all: if registered?.isFault == false { continue }
            }
            do {
                // `object(with:)` asks no store: that a row is gone would come out when an observer
                // of the merge uses the fault.
                fired.append(try main.existingObject(with: id))
                report.firedFaultCount += 1
            } catch {
                // Another save deleted the row; its own merge tells the main context.
                report.goneCount += 1
            }
        }
        for id in ids.deleted where main.registeredObject(for: id) != nil { registeredCount += 1 }
        report.registeredCount += registeredCount
        return fired
    }
}
