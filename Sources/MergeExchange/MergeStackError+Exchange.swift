import MergeStack

/// What imports and exports fail with, beside what any work on a stack may fail with.
extension MergeStackError.Code {
    /// The model's import mapping can't be used.
    public static let invalidMapping = MergeStackError.Code("invalidMapping")
    /// A file can't be read as records.
    public static let unreadableFile = MergeStackError.Code("unreadableFile")
    /// A strict import met a bad record, and nothing of it was kept.
    public static let importFailed = MergeStackError.Code("importFailed")
    /// The format of a file to write is not known.
    public static let unwritableFile = MergeStackError.Code("unwritableFile")
    /// Others changed so much of a store during an export that its place in it was lost.
    public static let storeChanged = MergeStackError.Code("storeChanged")
}
