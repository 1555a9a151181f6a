import Foundation

/// What the rows of one request in memory are evaluated with.
///
/// > Threading: Confined to the request.
final class MemoryEvaluation {
    let tables: MemoryTables
    /// The first key that a row was asked for and does not have.
    fileprivate(set) var keyError: QueryError?

    init(_ tables: MemoryTables) { self.tables = tables }

    /// The row behind a reference, as predicates see it.
    func value(_ reference: RowReference) -> QueryValue {
        let layout = tables.model.entities[reference.entityIndex]
        // A key may lead to a row that is not there, which counts as nil, as in SQL.
        guard let row = tables.row(layout, reference.primaryKey) else { return .null }
        return .object(MemoryRowSource(row, self))
    }
}

/// A row in memory, with properties that key paths can follow.
///
/// > Threading: Confined to one request.
final class MemoryRowSource: KeyValueSource {
    let row: Row
    private let evaluation: MemoryEvaluation
    private let layout: EntityLayout

    init(_ row: Row, _ evaluation: MemoryEvaluation) {
        self.row = row
        self.evaluation = evaluation
        layout = evaluation.tables.model.entities[row.entityIndex]
    }

    var queryIdentity: AnyHashable { AnyHashable(row.reference) }

    func queryValue(for key: QueryKey) -> QueryValue? {
        guard let slot = layout.slot(of: key), layout.slots[slot].kind != .volatile else {
            let key = key.name
            // The evaluator knows what these are, and would stop at any other key.
            if key == "self" || key == "SELF" || key == "objectID" { return nil }
            if key == "entity" { return .other(layout.entity) }
            // Noted instead of thrown, which the evaluator's closures can't do; the request throws
            // it in the end.
            if evaluation.keyError == nil {
                evaluation.keyError = .unknownKey(key, entity: layout.name)
            }
            return .null
        }
        let kind = layout.slots[slot].kind
        if kind == .toMany {
            return .collection(
                evaluation.tables.related(layout.slots[slot], row.primaryKey).map(evaluation.value)
            )
        }
        guard !row.isNull(slot) else { return .null }
        // The kinds that most predicates ask for first, for each row comes by here.
        switch kind {
        case .integer16, .integer32, .integer64, .boolean: return .integer(row.integer(slot))
        case .string: return .text(row.text(slot))
        case .toOne: return evaluation.value(RowReference(rawValue: row.word(slot)))
        case .transformable:
            let bytes = row.bytes(slot)
            guard let composite = layout.slots[slot].composite else { return .bytes(bytes) }
            return QueryValue(composite.dictionary(of: composite.values(bytes)))
        default: return kind.queryValue(row.value(slot, kind))
        }
    }
}
