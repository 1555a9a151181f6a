/// A value of a predicate that identifies a row: an object, or its ID.
protocol RowIdentifiable {
    /// The row that the value identifies; nil while there is none, for a temporary ID.
    var rowReference: RowReference? { get }
}
