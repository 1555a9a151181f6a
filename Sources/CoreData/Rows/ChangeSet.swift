/// What was inserted, updated and deleted, in order: objects in a context's unit of work, rows by
/// their references, or object IDs.
///
/// The lists are as unique as whoever fills them keeps them.
struct ChangeSet<Element> {
    var inserted: [Element] = []
    var updated: [Element] = []
    var deleted: [Element] = []
    /// Those that show other values than before, which others have saved.
    var refreshed: [Element] = []
    /// Those whose store was removed.
    var invalidated: [Element] = []

    var isEmpty: Bool {
        inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty
            && invalidated.isEmpty
    }
}

extension ChangeSet: Sendable where Element: Sendable {}

extension Array {
    /// Appends a list, or becomes it: lists of a change mostly begin as one that others have, too.
    mutating func take(_ list: [Element]) {
        if isEmpty { self = list } else { self += list }
    }
}
