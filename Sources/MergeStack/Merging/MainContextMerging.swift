import CoreData
import Threads

/// Merges slices of saves into the main context.
///
/// > Threading: The main queue, but for `init` and ``follow(_:)``'s list.
final class MainContextMerging: Sendable {
    private let main: WeakReference<NSManagedObjectContext>
    let results = FollowedResults()
    /// nil if the framework's merge says nothing of updated faults.
    private let listener: MergeListener?

    /// - Parameter tellsOfFaults: Whether the framework's merge names updated faults in its
    ///   notifications.
    init(_ main: NSManagedObjectContext, tellsOfFaults: Bool) {
        self.main = WeakReference(main)
        listener = tellsOfFaults ? MergeListener(main) : nil
    }

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
        let ahead = readAhead(ids, policy, in: main, &report)
        func merge() {
            main.mergeChanges(fromContextDidSave: notification)
            // Results controllers and observers learn of it before anybody hears of the merge.
            main.processPendingChanges()
        }
        if let listener {
            let outcome = listener.listen(to: merge)
            report.registeredCount += outcome.registeredCount(of: ids) - ahead.newCount
            if policy == .registered {
                for fault in outcome.updatedFaults(of: ids) {
                    _ = fire(fault.objectID, in: main, &report)
                }
            }
        } else {
            merge()
        }
        // Observers may have enabled it, too, by `removeAllActions()` or a roll-back, which does that.
        if undoManager?.isUndoRegistrationEnabled == false { undoManager?.enableUndoRegistration() }
        // A context holds clean objects weakly. Released before the merge, those that were read
        // would be registered no more, and the merge would pass over them.
        withExtendedLifetime(ahead) {}
        return true
    }

    /// What was read before a merge.
    private struct ReadAhead {
        /// To be kept until the merge is done.
        var objects: [NSManagedObject] = []
        /// How many of them were not registered.
        var newCount = 0
    }

    /// Reads the updated objects that the policy names and of which nobody would hear otherwise, and
    /// counts what is registered if the merge does not say it.
    private func readAhead(
        _ ids: ChangedObjectIDs,
        _ policy: MergeOptions.FaultPolicy,
        in main: NSManagedObjectContext,
        _ report: inout MergeReport
    ) -> ReadAhead {
        if listener == nil {
            report.registeredCount += (ids.updated + ids.deleted)
                .count { main.registeredObject(for: $0) != nil }
        }
        var result = ReadAhead()
        func read(_ id: NSManagedObjectID, ifRegistered: Bool = false) {
            let known = main.registeredObject(for: id)
            guard known?.isFault ?? !ifRegistered, let object = fire(id, in: main, &report) else {
                return
            }
            result.objects.append(object)
            if known == nil { result.newCount += 1 }
        }
        switch policy {
        case .none: break
        case .registered:
            if listener == nil { for id in ids.updated { read(id, ifRegistered: true) } }
        case .matchingResults:
            for id in results.updatedIDsToRead(ids.updated, in: main) { read(id) }
        case .all: for id in ids.updated { read(id) }
        }
        return result
    }

    private func fire(
        _ id: NSManagedObjectID,
        in main: NSManagedObjectContext,
        _ report: inout MergeReport
    ) -> NSManagedObject? {
        do {
            // `object(with:)` asks no store: that a row is gone would come out when an observer of
            // the merge uses the fault.
            let object = try main.existingObject(with: id)
            report.firedFaultCount += 1
            return object
        } catch {
            // Another save deleted the row; its own merge tells the main context.
            report.goneCount += 1
            return nil
        }
    }
}
