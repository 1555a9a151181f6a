import Foundation

/// A record with the value that tells its object apart.
struct KeyedRecord: Sendable {
    let record: ImportRecord
    /// nil if the entity has no key attribute, so that the record is always a new object.
    let key: ImportKey?
}

/// Hands the records of a file to several workers, so that no two of them have the same key in
/// their hands: else both would create the object.
///
/// A record whose key another worker has waits for that worker's batch, with its order kept.
///
/// > Threading: Any thread.
final class ImportQueue: @unchecked Sendable {
    // @unchecked: all state is touched only while `condition` is locked.
    private let condition = NSCondition()
    private let reader: any RecordReader
    private let mapping: EntityMapping
    private let batchSize: Int
    private let file: String
    private var fields: FieldReader
    private var isReaderDone = false
    private var isEnded = false
    private var readFailure: (any Error)?
    private var keysInHand: Set<ImportKey> = []
    private var waiting: [KeyedRecord] = []

    init(reader: any RecordReader, file: String, mapping: EntityMapping, batchSize: Int) {
        self.reader = reader
        self.file = file
        self.mapping = mapping
        self.batchSize = batchSize
        fields = FieldReader(mapping.primaryAttribute.map { [$0.source] } ?? [])
    }

    /// Records for a worker, and the bad ones met on the way.
    struct Batch {
        var records: [KeyedRecord] = []
        var problems: [ImportProblem] = []
    }

    /// The next records; nil if there are no more.
    ///
    /// May wait for another worker's batch.
    func next() -> Batch? {
        condition.lock()
        defer { condition.unlock() }
        while !isEnded {
            var batch = Batch()
            // What waits goes before what is read now, so that the records of a key keep the file's
            // order.
            takeWaiting(into: &batch)
            readMore(into: &batch)
            // Problems alone make a batch, too: those of the last lines would otherwise be told to
            // nobody.
            if !batch.records.isEmpty || !batch.problems.isEmpty {
                for record in batch.records { record.key.map { _ = keysInHand.insert($0) } }
                return batch
            }
            if isReaderDone, waiting.isEmpty { return nil }
            // Whatever is left has keys that other workers hold: `finish(_:)` wakes this one up.
            condition.wait()
        }
        return nil
    }

    /// Tells that the worker has saved the records.
    func finish(_ batch: Batch) {
        condition.lock()
        defer { condition.unlock() }
        for record in batch.records { record.key.map { _ = keysInHand.remove($0) } }
        condition.broadcast()
    }

    /// Hands out nothing more.
    func end() {
        condition.lock()
        defer { condition.unlock() }
        isEnded = true
        condition.broadcast()
    }

    /// How much of the file is read.
    var consumedByteCount: Int {
        condition.lock()
        defer { condition.unlock() }
        return reader.consumedByteCount
    }

    /// What kept the file from being read to its end, apart from what is in it.
    var failure: (any Error)? {
        condition.lock()
        defer { condition.unlock() }
        return readFailure
    }

    // MARK: Locked

    private func takeWaiting(into batch: inout Batch) {
        var blocked = keysInHand
        var stillWaiting: [KeyedRecord] = []
        for record in waiting {
            if let key = record.key, blocked.contains(key) {
                stillWaiting.append(record)
                // A later record of the same key must not overtake this one, whose values it is to
                // replace.
                blocked.insert(key)
            } else {
                batch.records.append(record)
            }
        }
        waiting = stillWaiting
    }

    private func readMore(into batch: inout Batch) {
        // Not too many may wait, or a file of one key would end up in memory; nor be bad, or nobody would
        // hear of them before its end.
        while batch.records.count < batchSize, waiting.count < batchSize,
            batch.problems.count < batchSize, !isReaderDone
        {
            let read: ImportBatch?
            do {
                read = try reader.nextBatch(maximumCount: batchSize - batch.records.count)
            } catch let problem as ImportProblem {
                isReaderDone = true
                batch.problems.append(problem)
                return
            } catch {
                isReaderDone = true
                readFailure = error
                return
            }
            guard let read else {
                isReaderDone = true
                return
            }
            batch.problems += read.problems
            // It need not grow with those that begin to wait below: their keys are in a worker's
            // hands, or among these.
            let waitingKeys = Set(waiting.compactMap(\.key))
            for record in read.records {
                do {
                    let key = try key(of: record)
                    let keyed = KeyedRecord(record: record, key: key)
                    // Twice in one batch is no harm: one worker has both, in their order.
                    if let key, keysInHand.contains(key) || waitingKeys.contains(key) {
                        waiting.append(keyed)
                    } else {
                        batch.records.append(keyed)
                    }
                } catch {
                    batch.problems.append(error)
                }
            }
        }
    }

    private func key(of record: ImportRecord) throws(ImportProblem) -> ImportKey? {
        guard let attribute = mapping.primaryAttribute else { return nil }
        var value = fields.value(0, in: record)
        // The key of a JSON object stands for the attribute that the object itself lacks.
        if value == nil || value == .null, let key = record.key { value = .text(key) }
        do {
            guard let value, value != .null else {
                throw AttributeCoercion.Failure(reason: "The record has no value for its key.")
            }
            return ImportKey(try attribute.coercion.object(value))
        } catch let failure as AttributeCoercion.Failure {
            throw ImportProblem(
                file: file,
                line: record.line,
                record: record.number,
                key: record.key,
                column: attribute.source.description,
                reason: failure.reason,
                isNestedValue: failure.isNested
            )
        } catch {
            throw ImportProblem(
                file: file,
                line: record.line,
                record: record.number,
                key: record.key,
                reason: error.localizedDescription
            )
        }
    }
}
