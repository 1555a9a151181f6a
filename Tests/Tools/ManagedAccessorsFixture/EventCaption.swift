/// In a file that names neither the base class nor the framework.
extension Event {
    public var caption: String { "\(initial): \(title ?? "")" }
    public var headline: String? {
        get { title }
        set { title = newValue?.uppercased() }
    }
}
