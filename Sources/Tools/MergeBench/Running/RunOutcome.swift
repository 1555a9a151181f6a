/// What main lists and the store holds when a run is over; the same for every layout.
struct RunOutcome: Codable, Hashable, Sendable {
    /// A sum over every value of the listed rows, in the list's order.
    var checksum: String
    /// How many rows main lists.
    var listedCount: Int
    /// How many rows the store holds.
    var storedCount: Int
}
