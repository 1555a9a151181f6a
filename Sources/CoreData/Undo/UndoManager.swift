import Foundation

/// Records actions that reverse changes, and performs them on request.
///
/// Actions are kept in groups; one undo reverses one top-level group. With ``groupsByEvent``, the
/// first registration of an event opens a group, which is closed at the event's end: when the main
/// queue is done with what it does now, or when a context's `perform` block has ended. Code that
/// runs on no such queue groups explicitly, or has its group closed by ``undo()``.
///
///     manager.registerUndo(withTarget: item) { $0.title = old }
///     item.title = new
///     manager.undo()
///
/// > Threading: Confined to one queue or thread, which is the queue of the context that it belongs
/// > to, if it belongs to one.
open class UndoManager: NSObject {
    private enum Activity { case none, undoing, redoing }
    private var activity = Activity.none
    private var openGroups: [UndoGroup] = []
    private var undoStack: [UndoGroup] = []
    private var redoStack: [UndoGroup] = []
    private var disabledCount = 0
    private var isEndOfEventScheduled = false

    /// Makes a manager without actions.
    public override init() {}

    // MARK: Groups

    /// Opens a group, inside the one that is open.
    open func beginUndoGrouping() { begin(isOfEvent: false) }

    /// Closes the innermost group. A top-level group that holds no action is forgotten.
    ///
    /// - Precondition: A group is open.
    open func endUndoGrouping() {
        require(
            !openGroups.isEmpty,
            "endUndoGrouping called with no matching begin: call beginUndoGrouping() first."
        )
        // Before the group closes: whoever collects changes registers them in it now.
        post(.NSUndoManagerCheckpoint)
        // Looked up after the checkpoint, whose observers may have opened groups and closed them.
        guard let group = openGroups.last else { return }
        post(.NSUndoManagerWillCloseUndoGroup, isDiscardable: group.isDiscardable)
        // Observers may have removed all actions, and an event's group goes with these.
        if openGroups.last === group {
            openGroups.removeLast()
            close(group)
        }
        post(.NSUndoManagerDidCloseUndoGroup, isDiscardable: group.isDiscardable)
    }

    /// The number of open groups, inside each other.
    open var groupingLevel: Int { openGroups.count }

    /// Whether the first registration of an event opens a group. True by default.
    ///
    /// Otherwise a group must be open when an action is registered.
    open var groupsByEvent = true

    /// How many top-level groups are kept for undo and for redo. The oldest ones go first; 0, the
    /// default, keeps all.
    open var levelsOfUndo = 0 {
        didSet { dropOldest() }
    }

    /// The modes in which events end. Kept, without effect: an event is a turn of the main queue.
    open var runLoopModes: [RunLoop.Mode] = [.default]

    private func begin(isOfEvent: Bool) {
        // Not for the group that an undo or redo opens by itself: what a checkpoint has registered
        // there would be taken for a part of its inverse.
        if activity == .none || !openGroups.isEmpty { post(.NSUndoManagerCheckpoint) }
        openGroups.append(UndoGroup(isOfEvent: isOfEvent))
        post(.NSUndoManagerDidOpenUndoGroup)
    }

    private func close(_ group: UndoGroup) {
        if let outer = openGroups.last {
            guard !group.isEmpty else { return }
            outer.steps.append(.group(group))
            if outer.actionName.isEmpty { outer.actionName = group.actionName }
            return
        }
        guard !group.isEmpty else { return }
        // What is registered during an undo is what a redo performs. A redo's is undone again, like
        // what is done for the first time.
        if activity == .undoing { redoStack.append(group) } else { undoStack.append(group) }
        dropOldest()
    }

    private func dropOldest() {
        guard levelsOfUndo > 0 else { return }
        undoStack.removeFirst(max(0, undoStack.count - levelsOfUndo))
        redoStack.removeFirst(max(0, redoStack.count - levelsOfUndo))
    }

    // MARK: Registration

    /// Makes registrations count again, after as many calls as ``disableUndoRegistration()`` had.
    open func enableUndoRegistration() {
        require(
            disabledCount > 0,
            "enableUndoRegistration called without a matching disableUndoRegistration."
        )
        disabledCount -= 1
    }

    /// Makes registrations be ignored. May be nested.
    open func disableUndoRegistration() { disabledCount += 1 }

    /// Whether registrations count.
    open var isUndoRegistrationEnabled: Bool { disabledCount == 0 }

    /// Registers an action that reverses a change.
    ///
    /// The target is held weakly; once it was released, the action does nothing. What the action
    /// registers in its turn is what reverses it: it goes to the redo stack while undoing, and to
    /// the undo stack while redoing.
    ///
    /// - Precondition: A group is open, unless ``groupsByEvent`` is true.
    public func registerUndo<TargetType: AnyObject>(
        withTarget target: TargetType,
        handler: @escaping (TargetType) -> Void
    ) {
        guard isUndoRegistrationEnabled else { return }
        if openGroups.isEmpty {
            require(
                groupsByEvent,
                "Must begin a group before registering undo: call beginUndoGrouping(), or set "
                    + "groupsByEvent."
            )
            begin(isOfEvent: true)
            scheduleEndOfEvent()
        }
        // A new action leads away from the state that a redo would go on from.
        if activity == .none { redoStack = [] }
        let action = UndoGroup.Action(target: ObjectIdentifier(target)) { [weak target] in
            if let target { handler(target) }
        }
        openGroups.last?.steps.append(.action(action))
    }

    /// Selectors do not exist without Objective-C.
    @available(*, unavailable, message: "Use registerUndo(withTarget:handler:).")
    open func registerUndo(withTarget target: Any, selector: String, object anObject: Any?) {}

    /// Invocations do not exist without Objective-C.
    @available(*, unavailable, message: "Use registerUndo(withTarget:handler:).")
    open func prepare(withInvocationTarget target: Any) -> Any { target }

    /// Forgets all actions and registers again if that was disabled. Groups that were opened with
    /// ``beginUndoGrouping()`` stay open.
    open func removeAllActions() {
        undoStack = []
        redoStack = []
        for group in openGroups { group.steps = [] }
        // An event's group is there for its actions alone.
        if openGroups.count == 1, openGroups[0].isOfEvent { openGroups = [] }
        disabledCount = 0
    }

    /// Forgets all actions that have a target.
    open func removeAllActions(withTarget target: Any) {
        let identifier = ObjectIdentifier(target as AnyObject)
        for group in openGroups + undoStack + redoStack { group.removeActions(identifier) }
        undoStack.removeAll(where: \.isEmpty)
        redoStack.removeAll(where: \.isEmpty)
    }

    // MARK: Undo and redo

    /// Whether there is something to undo.
    open var canUndo: Bool {
        !undoStack.isEmpty || openGroups.contains { !$0.isEmpty }
    }

    /// Whether there is something to redo. Posts a checkpoint, since a new action ends redo.
    open var canRedo: Bool {
        post(.NSUndoManagerCheckpoint)
        return !redoStack.isEmpty
    }

    /// Whether the manager is in the middle of an undo.
    open var isUndoing: Bool { activity == .undoing }
    /// Whether the manager is in the middle of a redo.
    open var isRedoing: Bool { activity == .redoing }

    /// Reverses the last top-level group, which is closed first if it is open.
    ///
    /// - Precondition: At most one group is open.
    open func undo() {
        // What is pending gets into the group that is closed here, and is what this undo takes
        // back.
        post(.NSUndoManagerCheckpoint)
        require(
            openGroups.count < 2,
            "undo was called with too many nested undo groups: call endUndoGrouping() first."
        )
        if openGroups.count == 1 { endUndoGrouping() }
        undoNestedGroup()
    }

    /// Reverses the last group that is closed, top-level or not.
    open func undoNestedGroup() {
        require(activity == .none, "undoNestedGroup was called during an undo or a redo.")
        post(.NSUndoManagerCheckpoint)
        let group: UndoGroup
        if let open = openGroups.last {
            // In an open group only what was closed within it is a whole that can be undone.
            guard case .group(let nested)? = open.steps.last else { return }
            open.steps.removeLast()
            group = nested
        } else {
            guard let last = undoStack.popLast() else { return }
            group = last
        }
        reverse(group, as: .undoing, .NSUndoManagerWillUndoChange, .NSUndoManagerDidUndoChange)
    }

    /// Reverses the last undo.
    ///
    /// - Precondition: No undo is under way.
    open func redo() {
        require(activity == .none, "redo was called during an undo or a redo.")
        // What is pending is registered now, and leaves nothing to redo.
        post(.NSUndoManagerCheckpoint)
        guard let group = redoStack.popLast() else { return }
        reverse(group, as: .redoing, .NSUndoManagerWillRedoChange, .NSUndoManagerDidRedoChange)
    }

    /// Performs a group's actions; what they register becomes one group on the other stack.
    private func reverse(
        _ group: UndoGroup,
        as activity: Activity,
        _ before: NSNotification.Name,
        _ after: NSNotification.Name
    ) {
        post(before)
        self.activity = activity
        // What the actions register must not get into a group that the client has open.
        let outer = openGroups
        openGroups = []
        begin(isOfEvent: false)
        openGroups.last?.actionName = group.actionName
        openGroups.last?.isDiscardable = group.isDiscardable
        group.perform()
        // Groups that the actions have left open are a part of the inverse, too.
        while !openGroups.isEmpty { endUndoGrouping() }
        openGroups = outer
        // Before the notification, whose observers may undo or redo further.
        self.activity = .none
        post(after)
    }

    // MARK: Names

    /// Names what the open group does, or the last one that was closed; empty for no name.
    open func setActionName(_ actionName: String) {
        (openGroups.first ?? undoStack.last)?.actionName = actionName
    }

    /// Says that the open group, or the last one that was closed, changes nothing that would need
    /// saving.
    open func setActionIsDiscardable(_ discardable: Bool) {
        (openGroups.first ?? undoStack.last)?.isDiscardable = discardable
    }

    /// The name of what undo would reverse; empty if it has none or there is nothing to undo.
    open var undoActionName: String { nextUndo?.actionName ?? "" }
    /// The name of what redo would reverse; empty if it has none or there is nothing to redo.
    open var redoActionName: String { redoStack.last?.actionName ?? "" }
    /// Whether what undo would reverse is discardable.
    open var undoActionIsDiscardable: Bool { nextUndo?.isDiscardable ?? false }
    /// Whether what redo would reverse is discardable.
    open var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

    /// The title of a menu item for undo.
    open var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }
    /// The title of a menu item for redo.
    open var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

    /// The title of a menu item that undoes a named action, in English.
    open func undoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Undo" : "Undo \(actionName)"
    }

    /// The title of a menu item that redoes a named action, in English.
    open func redoMenuTitle(forUndoActionName actionName: String) -> String {
        actionName.isEmpty ? "Redo" : "Redo \(actionName)"
    }

    private var nextUndo: UndoGroup? {
        openGroups.first { !$0.isEmpty } ?? undoStack.last
    }

    // MARK: Events

    /// Closes the group that the event's first registration opened.
    func endEvent() {
        // Groups that a client has opened last until it closes them, whatever events end meanwhile.
        guard activity == .none, openGroups.count == 1, openGroups[0].isOfEvent else { return }
        endUndoGrouping()
    }

    private func scheduleEndOfEvent() {
        // Elsewhere the event ends with a context's `perform` block, which calls `endEvent()`.
        guard !isEndOfEventScheduled, ThreadPlaces.isInside(ThreadPlaces.main) else { return }
        isEndOfEventScheduled = true
        // Made and used on the main queue.
        nonisolated(unsafe) weak let manager = self
        DispatchQueue.main.async {
            guard let manager else { return }
            manager.isEndOfEventScheduled = false
            ThreadPlaces.inside(ThreadPlaces.main) { manager.endEvent() }
        }
    }

    private func post(_ name: NSNotification.Name, isDiscardable: Bool = false) {
        NotificationCenter.default.post(
            name: name,
            object: self,
            userInfo: isDiscardable ? [NSUndoManagerGroupIsDiscardableKey: true] : nil
        )
    }
}
