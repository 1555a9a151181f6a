import CoreData
import Threads

/// Hears from the main context what a merge has reached there.
///
/// To look up each ID of a save in the main context would cost more than the merge itself: the
/// saving thread has written the IDs last, so that the main thread would wait for each of them.
///
/// > Threading: The main queue, but for `init`.
final class MergeListener: @unchecked Sendable {
    // @unchecked: the outcome is touched on the main queue only, where the context posts; the tokens
    // are set once.

    private var tokens: [ObservationToken] = []
    /// Of the merge that is under way; nil without one.
    private var outcome: MergeOutcome?

    init(_ main: NSManagedObjectContext) {
        // For good, since to begin and end for each merge would cost a small one a third of its
        // time. Whatever comes to lie at the address of a context that is gone is not listened to:
        // nothing is merged any more.
        tokens = [
            ObservationToken(.NSManagedObjectContextObjectsDidChange, of: main) {
                [weak self] in self?.outcome?.note(changes: $0)
            },
            ObservationToken(.NSManagedObjectContextDidMergeChangesObjectIDs, of: main) {
                [weak self] in self?.outcome?.note(merge: $0)
            },
        ]
    }

    /// What a merge reaches, and what observers reach meanwhile.
    func listen(to merge: () -> Void) -> MergeOutcome {
        outcome = MergeOutcome()
        defer { outcome = nil }
        merge()
        return outcome ?? MergeOutcome()
    }
}
