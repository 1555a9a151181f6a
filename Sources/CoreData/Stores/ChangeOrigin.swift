/// Who makes a change, as a store's history tells it.
struct ChangeOrigin: Sendable {
    /// The context's `transactionAuthor`.
    var author: String?
    /// The context's `name`.
    var contextName: String?
}
