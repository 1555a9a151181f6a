/// What can stand for a row in a predicate: objects and their IDs.
protocol RowIdentifiable {
    /// The row it stands for; nil if it has none yet (a temporary ID).
    var rowReference: RowReference? { get }
}
