/// A property of the entity that declares it.
struct DeclaredSlot: Hashable {
    /// The index of the declaring entity in the model layout.
    let entity: Int
    let slot: Int
}
