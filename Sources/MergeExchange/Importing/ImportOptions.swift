import Foundation
import MergeStack

/// How an ``Importer`` works.
public struct ImportOptions: Sendable {
    /// How many records go into one save.
    ///
    /// 1,000 by default.
    public var batchSize = 1000
    /// The kinds of the background contexts that import: one worker for each element.
    ///
    /// One of private-queue type by default.
    public var workers: [BackgroundContextKind] = [.privateQueue]
    /// Whether one bad record makes the whole import fail, so that nothing of the file is saved.
    ///
    /// A strict import has one worker, and keeps its objects in memory until its only save.
    public var isStrict = false
    /// Called for each bad record, on the worker's thread.
    ///
    /// nil by default.
    public var onProblem: (@Sendable (ImportProblem) -> Void)?
    /// Called after each batch, on the worker's thread.
    ///
    /// nil by default.
    public var onProgress: (@Sendable (ImportProgress) -> Void)?

    /// Batches of 1,000, one worker.
    public init() {}
}

/// How far an import is.
public struct ImportProgress: Hashable, Sendable {
    /// The share of the file that is done, from 0 to 1.
    public var fraction: Double
    /// How many records are done, bad ones included.
    public var rowCount: Int

    /// A state of an import.
    package init(fraction: Double, rowCount: Int) {
        self.fraction = fraction
        self.rowCount = rowCount
    }
}

/// What an import did.
public struct ImportResult: Hashable, Sendable {
    /// How many records the file had, bad ones included.
    public internal(set) var rowCount = 0
    /// How many objects were created for records.
    public internal(set) var createdCount = 0
    /// How many objects existed already and were changed.
    public internal(set) var updatedCount = 0
    /// How many objects existed already and had the record's values.
    public internal(set) var unchangedCount = 0
    /// How many records could not be imported.
    public internal(set) var failedCount = 0
    /// How many of them could not even be read: they are no records of the format.
    public internal(set) var unreadableCount = 0
    /// How many objects were created because records refer to them.
    public internal(set) var createdRelatedCount = 0
    /// How many saves it took.
    public internal(set) var saveCount = 0
    /// How long it took.
    public internal(set) var duration = TimeInterval(0)
    /// Whether it ended early because its progress was cancelled.
    public internal(set) var isCancelled = false
    /// The columns or keys that belong to no attribute or relationship, sorted.
    public internal(set) var unknownColumns: [String] = []
    /// Those of the unknown columns that hold lists or objects, sorted; what a relationship has no
    /// use for in an object that it names is among them with its path, such as `author.born`.
    public internal(set) var nestedColumns: [String] = []

    /// How many records were imported in a second.
    public var rowsPerSecond: Double {
        duration > 0 ? Double(rowCount) / duration : 0
    }

    /// Nothing imported yet.
    package init() {}

    /// Adds the counts of another import or batch and its duration.
    package mutating func add(_ other: ImportResult) {
        rowCount += other.rowCount
        createdCount += other.createdCount
        updatedCount += other.updatedCount
        unchangedCount += other.unchangedCount
        failedCount += other.failedCount
        unreadableCount += other.unreadableCount
        createdRelatedCount += other.createdRelatedCount
        saveCount += other.saveCount
        duration += other.duration
        isCancelled = isCancelled || other.isCancelled
        unknownColumns = Set(unknownColumns).union(other.unknownColumns).sorted()
        nestedColumns = Set(nestedColumns).union(other.nestedColumns).sorted()
    }
}
