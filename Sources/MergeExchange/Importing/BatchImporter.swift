import CoreData
import MergeStack

/// Brings batches of records into contexts: finds or creates their objects, sets what differs,
/// and saves.
///
/// > Threading: One worker; on the queue or thread of the context that it is given.
struct BatchImporter {
    /// Related objects that can be connected only when all records of the file are there.
    struct Deferred {
        let owner: NSManagedObjectID
        let relationship: Int
        let keys: [ImportKey]
        let record: Int
        let key: String?
        let line: Int
        let wasUnchanged: Bool
    }

    /// What one batch came to.
    struct Outcome {
        var result = ImportResult()
        var problems: [ImportProblem] = []
        var deferred: [Deferred] = []
    }

    struct Row {
        let record: KeyedRecord
        let values: [AttributeCoercion.Outcome]
        /// For each relationship the keys, or nil if the record does not mention it.
        let keys: [[ImportKey]?]
    }

    enum State { case created, updated, unchanged }

    let file: String
    let mapping: EntityMapping
    /// One for each relationship of the mapping.
    let indexes: [RelatedObjectIndex?]
    /// Brings what is saved to the store.
    let stack: any ContextStack
    /// Makes a context for related objects that must be created and saved at once; nil if all
    /// goes into one save at the end.
    let withRelatedContext: ((_ body: (NSManagedObjectContext) throws -> Int) throws -> Int)?
    /// Objects of earlier batches that are not saved yet, by key.
    var unsaved: [ImportKey: NSManagedObject] = [:]
    private var fields: FieldReader

    init(
        file: String,
        mapping: EntityMapping,
        indexes: [RelatedObjectIndex?],
        stack: any ContextStack,
        withRelatedContext: ((_ body: (NSManagedObjectContext) throws -> Int) throws -> Int)?
    ) {
        self.file = file
        self.mapping = mapping
        self.indexes = indexes
        self.stack = stack
        self.withRelatedContext = withRelatedContext
        fields = FieldReader(mapping.sources)
    }

    /// Imports records into a context, and saves it unless all goes into one save at the end.
    mutating func run(
        _ records: [KeyedRecord],
        in context: NSManagedObjectContext
    ) throws -> Outcome {
        var outcome = Outcome()
        outcome.result.rowCount = records.count
        var rows: [Row] = []
        rows.reserveCapacity(records.count)
        for record in records {
            do throws(ImportProblem) {
                rows.append(try row(record))
            } catch {
                outcome.problems.append(error)
            }
        }
        for (index, relationship) in mapping.relationships.enumerated()
        where !relationship.isWithinTree {
            // For the whole batch at once, which makes it one fetch and at most one save for a
            // relationship instead of one for each record.
            let keys = Set(rows.lazy.compactMap { $0.keys[index] }.joined())
            outcome.result.createdRelatedCount += try resolve(keys, index, in: context)
        }
        var existing = unsaved
        if let primary = mapping.primaryAttribute {
            let keys = Set(rows.compactMap(\.record.key)).filter { existing[$0] == nil }
            let found = try ObjectFinder.objects(
                mapping.entityName,
                primary.name,
                Array(keys),
                in: context
            )
            existing.merge(found) { unsaved, _ in unsaved }
        }
        var done: [(row: Row, object: NSManagedObject, state: State)] = []
        done.reserveCapacity(rows.count)
        for row in rows {
            do throws(ImportProblem) {
                let (object, state) = try apply(row, existing: existing, in: context)
                // A later record of the same key in this batch updates the object instead of making
                // another one.
                if let key = row.record.key, state == .created {
                    existing[key] = object
                    if withRelatedContext == nil { unsaved[key] = object }
                }
                done.append((row, object, state))
            } catch {
                outcome.problems.append(error)
            }
        }
        if withRelatedContext != nil, context.hasChanges {
            let bad = try save(context, done.map { ($0.row.record.record, $0.object) })
            outcome.problems += bad.problems
            done.removeAll { bad.objects.contains($0.object) }
            outcome.result.saveCount += 1
        }
        // After the save, for what is deferred keeps the object's ID, and that is a permanent one
        // only now. A strict import has not saved, but connects in the same context.
        for (row, object, state) in done {
            switch state {
            case .created: outcome.result.createdCount += 1
            case .updated: outcome.result.updatedCount += 1
            case .unchanged: outcome.result.unchangedCount += 1
            }
            outcome.deferred += deferred(row, object, state)
        }
        return outcome
    }

    // MARK: Reading a record

    private mutating func row(_ keyed: KeyedRecord) throws(ImportProblem) -> Row {
        let record = keyed.record
        var values: [AttributeCoercion.Outcome] = []
        values.reserveCapacity(mapping.attributes.count)
        for (index, attribute) in mapping.attributes.enumerated() {
            // The queue has read it already; where a JSON file keeps its records by key, it is not
            // among the record's own values.
            if index == mapping.primary, let key = keyed.key {
                values.append(.value(key.value))
                continue
            }
            guard let value = fields.value(index, in: record) else {
                values.append(.unchanged)
                continue
            }
            do {
                values.append(try attribute.coercion.outcome(value))
            } catch {
                throw problem(record, attribute.source, error.reason, isNested: error.isNested)
            }
        }
        var keys: [[ImportKey]?] = []
        for (index, relationship) in mapping.relationships.enumerated() {
            let value = fields.value(mapping.attributes.count + index, in: record)
            guard let value else {
                keys.append(nil)
                continue
            }
            do {
                keys.append(try relationship.keys(value))
            } catch {
                throw problem(record, relationship.source, error.reason)
            }
        }
        return Row(record: keyed, values: values, keys: keys)
    }

    // MARK: Changing objects

    private func apply(
        _ row: Row,
        existing: [ImportKey: NSManagedObject],
        in context: NSManagedObjectContext
    ) throws(ImportProblem) -> (NSManagedObject, State) {
        // All that can fail comes before the first change, so that a bad record leaves none.
        var related: [(index: Int, ids: [NSManagedObjectID])] = []
        for (index, relationship) in mapping.relationships.enumerated()
        where !relationship.isWithinTree {
            guard let keys = row.keys[index] else { continue }
            related.append((index, try ids(keys, index, row.record.record)))
        }
        let found = row.record.key.flatMap { existing[$0] }
        let object =
            found
            ?? NSEntityDescription.insertNewObject(forEntityName: mapping.entityName, into: context)
        var isChanged = false
        for (attribute, value) in zip(mapping.attributes, row.values) {
            guard case .value(let value) = value else { continue }
            if found != nil {
                if Self.isEqual(object.value(forKey: attribute.name), value) { continue }
            } else if value == nil {
                continue
            }
            object.setValue(value, forKey: attribute.name)
            isChanged = true
        }
        for (index, ids) in related {
            if connect(object, index, ids, isNew: found == nil) { isChanged = true }
        }
        return (object, found == nil ? .created : isChanged ? .updated : .unchanged)
    }

    private static func isEqual(_ old: Any?, _ new: Any?) -> Bool {
        switch (old, new) {
        case (nil, nil): return true
        case (let old as String, let new as String): return old == new
        // A number of the file has a Swift type, one of the object may have any.
        case (let old as NSNumber, let new as Int64): return old.int64Value == new
        case (let old as NSNumber, let new as Double): return old.doubleValue == new
        case (let old as NSNumber, let new as NSNumber): return old == new
        case (let old as AnyHashable, let new as AnyHashable): return old == new
        default: return false
        }
    }

    // MARK: Problems

    func problem(
        _ record: ImportRecord,
        _ source: FieldSource,
        _ reason: String,
        missing entity: String? = nil,
        isNested: Bool = false
    ) -> ImportProblem {
        ImportProblem(
            file: file,
            line: record.line,
            record: record.number,
            key: key(of: record),
            column: source.description,
            reason: reason,
            missingEntity: entity,
            isNestedValue: isNested
        )
    }

    /// The record's key as a message shows it.
    func key(of record: ImportRecord) -> String? {
        if let key = record.key { return key }
        guard let source = mapping.primaryAttribute?.source else { return nil }
        switch record[source.description] {
        case .text(let text): return text
        case .integer(let number): return "\(number)"
        default: return nil
        }
    }

    func problem(_ record: ImportRecord, _ error: NSError) -> ImportProblem {
        let details = error.userInfo[NSDetailedErrorsKey] as? [NSError]
        let first = details?.first ?? error
        return ImportProblem(
            file: file,
            line: record.line,
            record: record.number,
            key: key(of: record),
            column: first.userInfo[NSValidationKeyErrorKey] as? String,
            reason: first.localizedDescription
        )
    }
}
