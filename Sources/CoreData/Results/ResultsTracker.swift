import Foundation

/// The engine of a results controller: fetches its list, and keeps it right as its context changes.
///
/// > Threading: Confined to the context's queue.
final class ResultsTracker: @unchecked Sendable {
    // @unchecked: touched on the context's queue only; the observer looks at the sender first.

    let request: any AnyFetchRequest
    let context: NSManagedObjectContext
    let sectionNameKeyPath: String?
    private let sectionPath: [String]
    let cacheName: String?
    /// nil until the first fetch.
    private(set) var list: ResultsList?
    /// Told of changes, which it has to show; nil to leave the list as it was fetched.
    var onChange: ((Change) -> Void)?
    /// What is known of the delegate.
    var delegateLacks: DelegateMethods = []
    /// A change of the list, before it is shown.
    struct Change {
        let difference: ResultsDifference
        let old: ResultsList
        let new: ResultsList
        /// Makes one of them the controller's list.
        let show: (ResultsList) -> Void

        init(
            _ old: ResultsList,
            _ new: ResultsList,
            listed: [ResultsEdit.Placed],
            placed: [ResultsEdit.Placed],
            show: @escaping (ResultsList) -> Void
        ) {
            difference = ResultsDifference(from: old, to: new, listed: listed, placed: placed)
            self.old = old
            self.new = new
            self.show = show
        }
    }
    /// While consistency is checked: the last commit before the list was fetched.
    private(set) var listedAt: UInt64 = 0
    /// While consistency is checked: whether related objects have changed since the list was
    /// fetched, by which it would be in another order.
    var isBehindRelated = false
    private var observation: NSObjectProtocol?
    private var layout: EntityLayout?
    /// Where objects stand in the list, or in one that is about to be shown; nil until it is needed.
    private var index: ResultsIndex?
    /// The request's predicate as it was when the list was fetched.
    private var evaluator: PredicateEvaluator?

    init(
        request: any AnyFetchRequest,
        context: NSManagedObjectContext,
        sectionNameKeyPath: String?,
        cacheName: String?
    ) {
        self.request = request
        self.context = context
        self.sectionNameKeyPath = sectionNameKeyPath
        self.cacheName = cacheName
        sectionPath = sectionNameKeyPath?.split(separator: ".").map(String.init) ?? []
    }

    deinit {
        // On Linux a registration does not end with its token.
        if let observation { NotificationCenter.default.removeObserver(observation) }
    }

    func performFetch() throws {
        try fetchList()
        // A limited list is fetched again at each change, and needs none. A merge on the main queue
        // would have to wait for it if it were made at the first change.
        index = onChange == nil || isLimited ? nil : list.map { ResultsIndex($0.objects) }
    }

    private var isLimited: Bool { request.fetchLimit > 0 || request.fetchOffset > 0 }

    private func fetchList() throws {
        layout = try context.plan(request).layout
        evaluator = request.predicate.map(PredicateEvaluator.init)
        observe()
        if let consistency = context.consistency {
            consistency.add(self)
            // Before the fetch: a commit in between may or may not be in what it finds.
            listedAt = CommitLedger.now
            isBehindRelated = false
        }
        guard !sectionPath.isEmpty else {
            list = ResultsList(try fetch(), sectionNames: nil)
            return
        }
        let cache = try sectionCache()
        if let sections = cache?.read() {
            let objects = try fetch()
            // Asked after the fetch: a save in between would have given it other objects than those
            // that the sections were made for.
            if cache?.isCurrent == true, let cached = ResultsList(objects, sections: sections) {
                list = cached
                return
            }
        }
        let objects = try fetchAtOnce()
        let fetched = try context.readingAll {
            ResultsList(objects, sectionNames: sectionNames(objects))
        }
        list = fetched
        cache?.write(fetched)
    }

    /// Fetches without batches: each object is asked for its section.
    private func fetchAtOnce() throws -> [NSManagedObject] {
        // The request is the client's and gets its setting back.
        let size = request.fetchBatchSize
        request.fetchBatchSize = 0
        defer { request.fetchBatchSize = size }
        return try fetch()
    }

    /// Fetches the objects, and their values unless they come in batches.
    ///
    /// A fault that fired later would show what a save left in the row cache before that save is
    /// merged. Its place would not fit its values then, and `merged` would search in a list that is
    /// not in order.
    private func fetch() throws -> [NSManagedObject] {
        let returnsFaults = request.returnsObjectsAsFaults
        if request.fetchBatchSize == 0 { request.returnsObjectsAsFaults = false }
        defer { request.returnsObjectsAsFaults = returnsFaults }
        guard case .objects(let objects) = try context.execute(request) else {
            throw CocoaError.coreData(
                "A results controller needs a fetch request for managed objects: set its "
                    + "resultType to managedObjectResultType."
            )
        }
        return objects
    }

    private func observe() {
        guard observation == nil else { return }
        // Without a sender: a registration that outlives its sender would fire for another object
        // at the same address. The tracker holds its context, so the address is the context's.
        let sender = ObjectIdentifier(context)
        observation = NotificationCenter.default.addObserver(
            forName: .NSManagedObjectContextObjectsDidChange,
            object: nil,
            queue: nil
        ) { [weak self] notification in
            guard ObjectIdentifier(notification.object as AnyObject) == sender else { return }
            self?.contextDidChange(notification.userInfo ?? [:])
        }
    }

    // MARK: Changes

    private func contextDidChange(_ info: [AnyHashable: Any]) {
        guard let onChange, let old = list, let layout else { return }
        // After a reset no object is of the context any more, and only a new fetch can follow it.
        if info[NSInvalidatedAllObjectsKey] != nil {
            list = ResultsList([], sectionNames: sectionPath.isEmpty ? nil : [])
            return
        }
        if context.consistency != nil { noteRelated(info, layout) }
        guard let change = change(info, of: old, layout) else { return }
        onChange(change)
    }

    private func change(
        _ info: [AnyHashable: Any],
        of old: ResultsList,
        _ layout: EntityLayout
    ) -> Change? {
        var marks = ResultsMarks()
        // Marks are flags of the objects, which the context's next controller uses as well.
        defer { marks.remove() }
        let entities =
            request.includesSubentities
            ? layout.index...layout.lastDescendantIndex : layout.index...layout.index
        func mark(_ key: String) {
            guard let set = info[key] as? Set<NSManagedObject> else { return }
            // An object may come under several keys of a notification: once is enough.
            for object in set where entities.contains(object.layout.index) && marks.add(object) {
                object.bringValuesNear()
            }
        }
        for key in Self.touchedKeys { mark(key) }
        let evaluator = evaluator
        let matching = marks.objects.filter { isMatch($0, evaluator) }
        mark(NSDeletedObjectsKey)
        guard !marks.objects.isEmpty else { return nil }
        // What is limited is fetched again: what a limit lets in is not known from what changed
        // alone, and with an offset, what goes from before the list moves it.
        return isLimited
            ? refetched(old, matching, &marks) : merged(old, matching, marks)
    }

    private static let touchedKeys = [
        NSInsertedObjectsKey, NSUpdatedObjectsKey, NSRefreshedObjectsKey, NSInvalidatedObjectsKey,
    ]

    private func isMatch(_ object: NSManagedObject, _ evaluator: PredicateEvaluator?) -> Bool {
        guard object.flags.isDisjoint(with: [.deleted, .gone, .detached]),
            object.registry.contextIdentity == ObjectIdentifier(context)
        else { return false }
        // A fetch of this request would not find what is not saved yet.
        if object.flags.contains(.inserted), !request.includesPendingChanges { return false }
        let isMatch = evaluator?.evaluate(object) ?? true
        // Evaluating it may have shown that the row is gone.
        return isMatch && !object.flags.contains(.gone)
    }

    private func merged(
        _ old: ResultsList,
        _ matching: [NSManagedObject],
        _ marks: ResultsMarks
    ) -> Change? {
        var index = index.flatMap { $0.isOf(old.objects) ? $0 : nil } ?? ResultsIndex(old.objects)
        // One copy of it, which changes in place.
        self.index = nil
        defer { self.index = index }
        let listed = index.listed(marks.objects)
        guard !listed.isEmpty || !matching.isEmpty else { return nil }
        let edit = placement.edit(old.objects, listed: listed, matching: matching)
        let (new, entered) = old.applying(edit)
        index.follow(new.objects, entered: entered, gone: edit.removed.map { old.objects[$0] })
        return Change(old, new, listed: listed, placed: edit.placed) { [self] in list = $0 }
    }

    private var placement: ResultsPlacement {
        ResultsPlacement(
            order: ObjectOrder(request.sortDescriptors ?? []),
            sectionName: sectionPath.isEmpty ? { _ in "" } : { [self] in sectionName($0) }
        )
    }

    /// The list fetched again. Objects that came or went because of others count as changed.
    private func refetched(
        _ old: ResultsList,
        _ matching: [NSManagedObject],
        _ marks: inout ResultsMarks
    ) -> Change? {
        // With an offset, what is not listed counts as well.
        guard
            !matching.isEmpty || request.fetchOffset > 0 || old.objects.contains(where: marks.hold)
        else { return nil }
        let objects: [NSManagedObject]
        do {
            objects = try sectionPath.isEmpty ? fetch() : fetchAtOnce()
        } catch {
            // The next change fetches again; until then, what the context knows has to do.
            let what = "The list of a results controller of \(layout?.name ?? "")"
            UnreadableValue.report(error, reading: what, key: nil, of: context)
            objects = limited(old, matching, marks)
        }
        let before = Set(old.objects.map(ObjectIdentifier.init))
        let after = Set(objects.map(ObjectIdentifier.init))
        for object in old.objects where !after.contains(ObjectIdentifier(object)) {
            marks.add(object)
        }
        for object in objects where !before.contains(ObjectIdentifier(object)) {
            marks.add(object)
        }
        let new = ResultsList(objects, sectionNames: sectionNames(objects))
        let change = Change(
            old,
            new,
            listed: marks.changed(old.objects),
            placed: marks.changed(new.objects)
        ) { [self] in list = $0 }
        return change.difference.isEmpty ? nil : change
    }

    /// What a list becomes by what the context knows, within the request's limit.
    private func limited(
        _ old: ResultsList,
        _ matching: [NSManagedObject],
        _ marks: ResultsMarks
    ) -> [NSManagedObject] {
        let edit = placement.edit(
            old.objects,
            listed: marks.changed(old.objects),
            matching: matching
        )
        let objects = old.objects.applying(edit).objects
        return Array(request.fetchLimit > 0 ? objects.prefix(request.fetchLimit) : objects[...])
    }

    // MARK: Sections

    private func sectionNames(_ objects: [NSManagedObject]) -> [String]? {
        sectionPath.isEmpty ? nil : objects.map(sectionName)
    }

    func sectionName(_ object: NSManagedObject) -> String {
        var value: Any? = object
        for key in sectionPath {
            // By key-value access, not by slot: sections often go by a computed property of the
            // class.
            value = (value as? NSManagedObject)?.value(forKey: key)
        }
        switch value {
        case nil: return ""
        case let text as String: return text
        case let value?: return "\(value)"
        }
    }
}
