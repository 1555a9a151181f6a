import Foundation

/// What a batch update asks of one store.
struct BatchUpdate {
    enum Value {
        /// In storage form.
        case constant(SlotValue)
        /// Over the row's own attributes.
        case expression(NSExpression)
    }
    /// The rows.
    var plan: FetchPlan
    var values: [(slot: PropertySlot, value: Value)]
    /// Who makes the changes.
    var origin: ChangeOrigin
}

/// A store that changes many rows at once, without their passing through a context.
///
/// > Threading: Any thread, as `RowStore`.
protocol BatchStore: RowStore {
    /// Updates rows in one transaction and raises their versions.
    ///
    /// - Returns: What was updated.
    func update(_ batch: BatchUpdate) throws -> [RowReference]

    /// Deletes rows in one transaction. Other rows lose their references to them.
    ///
    /// - Returns: What was deleted.
    /// - Throws: An error that names the relationship, if a row that stays must have a reference
    ///   that would go; nothing is deleted then.
    func delete(_ plan: FetchPlan, origin: ChangeOrigin) throws -> [RowReference]
}
