import Synchronization

/// The name of a property that predicates and sort descriptors ask many sources for, one after
/// another.
///
/// It remembers the place that the name has in the layout that was asked last, so that a list of
/// objects of one entity looks the name up once.
///
/// > Threading: Any thread.
final class QueryKey: Equatable, Sendable {
    let name: String
    /// The number of a layout and the place there, in one word, so that no thread sees one without
    /// the other; 0 before the first answer.
    private let known = Atomic<UInt64>(0)
    private static let placeBits: UInt64 = 16

    init(_ name: String) { self.name = name }

    static func == (left: QueryKey, right: QueryKey) -> Bool { left.name == right.name }

    /// The place of the name in a layout.
    ///
    /// - Parameters:
    ///   - number: The layout's number, which no other layout of the process has; not 0.
    ///   - find: Looks the name up.
    @inline(__always) func place(inLayout number: UInt64, _ find: (String) -> Int?) -> Int? {
        let word = known.load(ordering: .relaxed)
        if word >> Self.placeBits == number { return Int(word & (1 << Self.placeBits - 1)) }
        guard let place = find(name) else { return nil }
        if place < 1 << Self.placeBits {
            known.store(number << Self.placeBits | UInt64(place), ordering: .relaxed)
        }
        return place
    }
}
