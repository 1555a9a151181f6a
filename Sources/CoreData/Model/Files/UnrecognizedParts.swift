/// Collects what a model file says that has no meaning here, so that it can be reported.
///
/// > Threading: One thread at a time.
final class UnrecognizedParts {
    private var places: [String: (first: String, count: Int)] = [:]
    private var order: [String] = []

    /// Notes something, and where it was; the same thing in many places is one note.
    func note(_ what: String, at place: String) {
        if let known = places[what] {
            places[what] = (known.first, known.count + 1)
        } else {
            places[what] = (place, 1)
            order.append(what)
        }
    }

    /// A sentence for each thing, in the order in which they were met.
    var sentences: [String] {
        order.compactMap { what in
            places[what].map { place in
                let others = place.count > 1 ? " and \(place.count - 1) more" : ""
                return "\(place.first)\(others): \(what)."
            }
        }
    }
}
