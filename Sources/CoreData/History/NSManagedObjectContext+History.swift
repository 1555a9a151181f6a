import Foundation

/// Requests for the history of stores.
extension NSManagedObjectContext {
    /// What the history tells of this context's saves.
    var origin: ChangeOrigin { ChangeOrigin(author: transactionAuthor, contextName: name) }

    /// What the history tells of this context's batch requests: those of a child go up to its
    /// root, as its saves do.
    var batchOrigin: ChangeOrigin {
        guard let parent else { return origin }
        // The parent's name and author are read on its queue. A confined parent has none: it shares
        // this thread.
        return parent.queue == nil
            ? parent.batchOrigin : parent.basePerformAndWait { parent.batchOrigin }
    }

    /// Executes a history request, on all stores of the coordinator that keep a history.
    fileprivate func execute(
        _ request: NSPersistentHistoryChangeRequest
    ) throws -> NSPersistentHistoryResult {
        let stores = try historyStores(request)
        if request.isDeleting {
            var count = 0
            for store in stores {
                guard let bound = request.bound(in: store) else { continue }
                count += try store.deleteHistory(before: bound)
            }
            let result: Any = request.resultType == .count ? count : true
            return NSPersistentHistoryResult(result, request.resultType)
        }
        let filter = try HistoryFilter(request.fetchRequest)
        var transactions: [NSPersistentHistoryTransaction] = []
        for store in stores {
            guard let bound = request.bound(in: store) else { continue }
            // A predicate may ask about the changes even if the result leaves them out.
            let includesChanges = request.resultType.includesChanges || filter.needsChanges
            transactions += try store.history(after: bound, includesChanges: includesChanges)
                .map { transaction($0, store, includesChanges) }
        }
        // Each store counts its own transactions: among stores only the time gives an order.
        if stores.count > 1 { transactions.sort { $0.timestamp < $1.timestamp } }
        return NSPersistentHistoryResult(
            filter.result(transactions, request.resultType),
            request.resultType
        )
    }

    private func historyStores(
        _ request: NSPersistentHistoryChangeRequest
    ) throws -> [any HistoryStore] {
        let stores = coordinator.persistentStores.filter { store in
            request.affectedStores?.contains { $0 === store } ?? true
        }
        let able = stores.compactMap { ($0 as? any RowStore)?.history }
        // Stores without a history are left out, unless none has one: an empty result would then
        // look as if nothing had happened.
        guard let first = stores.first, able.isEmpty else { return able }
        throw CocoaError.unsupportedRequest(
            "NSPersistentHistoryChangeRequest",
            storeType: first.type
        )
    }

    private func transaction(
        _ record: HistoryRecord,
        _ store: any HistoryStore,
        _ includesChanges: Bool
    ) -> NSPersistentHistoryTransaction {
        let changes = record.changes.map { change in
            NSPersistentHistoryChange(
                change,
                id: objectID(change.reference, in: store.identity),
                layout: coordinator.modelLayout.entities[change.reference.entityIndex]
            )
        }
        return NSPersistentHistoryTransaction(
            record,
            storeID: store.identifier,
            changes: includesChanges ? changes : nil
        )
    }
}

extension NSPersistentHistoryResultType {
    fileprivate var includesChanges: Bool {
        switch self {
        case .statusOnly, .count, .transactionsOnly: false
        case .objectIDs, .changesOnly, .transactionsAndChanges: true
        }
    }
}

/// Picks what a history request's fetch request asks for, and gives it its form.
private struct HistoryFilter {
    private let request: (any AnyFetchRequest)?
    private let predicate: NSPredicate?
    private let picksChanges: Bool

    /// - Throws: `QueryError` for keys that transactions or changes don't have.
    init(_ request: (any AnyFetchRequest)?) throws {
        self.request = request
        let layouts = HistoryEntities.layout.entitiesByName
        let name = (request?.entity?.name ?? request?.entityName ?? "TRANSACTION").uppercased()
        guard let layout = layouts[name] else {
            throw QueryError.unsupported(
                "A history request's fetch request is about transactions or changes: take it from "
                    + "NSPersistentHistoryTransaction.fetchRequest or "
                    + "NSPersistentHistoryChange.fetchRequest."
            )
        }
        picksChanges = name == "CHANGE"
        predicate = request?.predicate.map(Self.namingEntities)
        // Checked before anything is read: a key that the entity lacks would match nothing without
        // a word.
        let validation = PredicateValidation(model: HistoryEntities.layout, layout: layout)
        if let predicate = request?.predicate { try validation.check(predicate) }
        try validation.check(request?.sortDescriptors ?? [])
    }

    var needsChanges: Bool { picksChanges || request?.predicate != nil }

    func result(
        _ transactions: [NSPersistentHistoryTransaction],
        _ type: NSPersistentHistoryResultType
    ) -> Any {
        let picked = picksChanges ? transactions : pick(transactions)
        var changes = picked.flatMap { $0.changes ?? [] }
        if picksChanges { changes = pick(changes) }
        switch type {
        case .statusOnly: return true
        case .count: return picksChanges ? changes.count : picked.count
        case .objectIDs: return Set(changes.map(\.changedObjectID)).map(\.self)
        case .changesOnly: return changes
        case .transactionsOnly:
            return narrowed(picked, to: changes).map {
                NSPersistentHistoryTransaction($0, changes: nil)
            }
        case .transactionsAndChanges: return narrowed(picked, to: changes)
        }
    }

    /// The transactions that have some of the changes that a request for changes has picked, with
    /// these only; all of them for other requests.
    private func narrowed(
        _ transactions: [NSPersistentHistoryTransaction],
        to changes: [NSPersistentHistoryChange]
    ) -> [NSPersistentHistoryTransaction] {
        guard picksChanges else { return transactions }
        // By identity: these are the very changes that the transactions hold, and so keep alive.
        let kept = Set(changes.map(ObjectIdentifier.init))
        return transactions.compactMap { transaction in
            let own = (transaction.changes ?? []).filter { kept.contains(ObjectIdentifier($0)) }
            return own.isEmpty ? nil : NSPersistentHistoryTransaction(transaction, changes: own)
        }
    }

    /// A predicate with the names of entities in place of their descriptions: changes of the
    /// history name the entity of what has changed.
    private static func namingEntities(_ predicate: NSPredicate) -> NSPredicate {
        PredicateRewriting { expression, _ in
            guard case .constant(let entity as NSEntityDescription) = expression.node else {
                return nil
            }
            return NSExpression(.constant(entity.name))
        }.predicate(predicate)
    }

    private func pick<Element: NSObject>(_ all: [Element]) -> [Element] {
        guard let request else { return all }
        var picked = all
        if let predicate {
            picked = picked.filter { predicate.evaluate(with: $0) }
        }
        if let descriptors = request.sortDescriptors, !descriptors.isEmpty {
            let comparator = SortKeyComparator(descriptors)
            picked.sort { comparator.compare($0, $1) == .orderedAscending }
        }
        picked = Array(picked.dropFirst(max(0, request.fetchOffset)))
        return request.fetchLimit > 0 ? Array(picked.prefix(request.fetchLimit)) : picked
    }
}

extension NSPersistentHistoryChangeRequest: ContextRequest {
    func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
        try context.execute(self)
    }
}
