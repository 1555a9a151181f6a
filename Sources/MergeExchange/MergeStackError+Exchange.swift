import MergeStack

/// The errors of imports and exports, in addition to those of all work on a stack.
extension MergeStackError.Code {
    /// The model's import mapping can't be used.
    public static let invalidMapping = MergeStackError.Code("invalidMapping")
    /// A file can't be read as records.
    public static let unreadableFile = MergeStackError.Code("unreadableFile")
    /// A strict import met a bad record, and nothing of it was kept.
    public static let importFailed = MergeStackError.Code("importFailed")
    /// The format of a file to write is not known, or the file can't take its place.
    public static let unwritableFile = MergeStackError.Code("unwritableFile")
    /// Others changed the rows of a store so much during an export that it could not tell any more
    /// which of them it has written.
    public static let storeChanged = MergeStackError.Code("storeChanged")
}
