/// What one undo or redo does: actions and groups in the order in which they were registered.
///
/// > Threading: Confined like its undo manager.
final class UndoGroup {
    /// One registered action.
    struct Action {
        /// Identifies the target, also once it was released.
        let target: ObjectIdentifier
        /// Does nothing if the target was released.
        let perform: () -> Void
    }
    enum Step {
        case action(Action)
        case group(UndoGroup)
    }

    /// Opened by the first registration of an event, and closed at the event's end.
    let isOfEvent: Bool
    var steps: [Step] = []
    var actionName = ""
    var isDiscardable = false

    init(isOfEvent: Bool) { self.isOfEvent = isOfEvent }

    var isEmpty: Bool { steps.isEmpty }

    /// Performs the steps, the last one first.
    func perform() {
        for step in steps.reversed() {
            switch step {
            case .action(let action): action.perform()
            case .group(let group): group.perform()
            }
        }
    }

    /// Forgets all actions with a target, and groups that are empty then.
    func removeActions(_ target: ObjectIdentifier) {
        steps.removeAll { step in
            switch step {
            case .action(let action): return action.target == target
            case .group(let group):
                group.removeActions(target)
                return group.isEmpty
            }
        }
    }
}
