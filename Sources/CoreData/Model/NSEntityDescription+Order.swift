extension Sequence<NSEntityDescription> {
    /// In the order of their names, which every entity of a model in use has.
    func sortedByName() -> [NSEntityDescription] {
        sorted { ($0.name ?? "") < ($1.name ?? "") }
    }
}
