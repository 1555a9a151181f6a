import Foundation

/// The files that one transaction makes and makes superfluous.
///
/// New files are on the disk before their rows are committed, and old ones are removed afterwards.
/// So a crash leaves files that no row refers to, and never a row without its file.
///
/// > Threading: Confined to the lock that holds its writer.
final class ExternalDataChanges {
    private let folder: ExternalDataFolder
    private var made: [String] = []
    private var superfluous: [String] = []
    /// Whether the folders that lead to the files are known to be on the disk.
    private var isPlaceDurable = false

    init(_ folder: ExternalDataFolder) { self.folder = folder }

    /// What the column gets for a value: the value itself, or a reference to its new file.
    func encode(_ bytes: UnsafeRawBufferPointer) throws -> Data {
        guard bytes.count >= ExternalValue.externalByteCount else {
            return ExternalValue.encode(bytes)
        }
        // Noted once it is whole: a file that can't be written is removed by the folder itself.
        let name = try folder.write(bytes)
        made.append(name)
        return ExternalValue.encode(fileNamed: name)
    }

    /// Notes that a column's content is about to be replaced or deleted.
    func willRemove(_ column: Data) {
        if let name = ExternalValue.fileName(column) { superfluous.append(name) }
    }

    /// How much has been done so far, for `undo(to:)`.
    var mark: (made: Int, superfluous: Int) { (made.count, superfluous.count) }

    /// Takes back what was done since a mark.
    func undo(to mark: (made: Int, superfluous: Int)) {
        // No row that was committed refers to these: their names are new with this transaction.
        folder.remove(made[mark.made...])
        made.removeSubrange(mark.made...)
        superfluous.removeSubrange(mark.superfluous...)
    }

    /// Makes sure that the new files survive, before their rows are committed.
    func willCommit() throws {
        guard !made.isEmpty else { return }
        // Each file was synced when it was written; its name is durable only with its folder,
        // fsync(2).
        try folder.flush(withParents: !isPlaceDurable)
        isPlaceDurable = true
    }

    /// Ends the transaction with success.
    ///
    /// - Returns: The files to remove, once nobody reads them.
    func didCommit() -> [String] {
        defer {
            made = []
            superfluous = []
        }
        return superfluous
    }

    /// Ends the transaction without effect.
    ///
    /// - Parameter mayCount: Whether a crash may make it count all the same: its files stay for the
    ///   next `ExternalDataSweep` then.
    func rollBack(mayCount: Bool) {
        // The old files stay in any case, since the old rows may be what is left.
        if mayCount { made = [] }
        undo(to: (0, 0))
    }
}
