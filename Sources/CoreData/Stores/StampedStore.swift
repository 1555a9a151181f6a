/// A store that can tell whether its content is still the same.
///
/// > Threading: Any thread, as `RowStore`.
protocol StampedStore: RowStore {
    /// A text that is another one after each change of the content, by whatever process; nil if
    /// the content can't be looked at.
    var contentStamp: String? { get }
}
