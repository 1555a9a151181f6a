/// Finds objects in a state of a results list without going through it.
///
/// > Threading: Confined to the context's queue.
struct ResultsIndex {
    /// The number of the chunk that each object is in.
    private var chunks: [ObjectIdentifier: Int] = [:]
    /// The state that this is about.
    private var objects: ResultsObjects

    init(_ objects: ResultsObjects) {
        self.objects = objects
        chunks.reserveCapacity(objects.count)
        for chunk in objects.chunks {
            for object in chunk.objects { chunks[ObjectIdentifier(object)] = chunk.number }
        }
    }

    /// Whether this is about a state, and not an earlier one.
    func isOf(_ objects: ResultsObjects) -> Bool { self.objects.isSameState(as: objects) }

    /// Those of the given objects that are listed, with their indexes; ascending.
    func listed(_ candidates: [NSManagedObject]) -> [ResultsEdit.Placed] {
        let known = candidates.compactMap { object in
            chunks[ObjectIdentifier(object)].map { (object: object, chunk: $0) }
        }
        guard !known.isEmpty else { return [] }
        let places = Dictionary(
            objects.chunks.enumerated().map { ($1.number, $0) },
            uniquingKeysWith: { first, _ in first }
        )
        return known.compactMap { object, chunk -> ResultsEdit.Placed? in
            guard let place = places[chunk],
                let offset = objects.chunks[place].objects.firstIndex(where: { $0 === object })
            else { return nil }
            return (objects.start(ofChunkAt: place) + offset, object)
        }
        .sorted { $0.index < $1.index }
    }

    /// Goes on to the next state.
    ///
    /// - Parameters:
    ///   - entered: What is in other chunks than before.
    ///   - gone: What has left its place; some of it may have entered at another.
    mutating func follow(
        _ objects: ResultsObjects,
        entered: [ResultsObjects.Entry],
        gone: [NSManagedObject]
    ) {
        self.objects = objects
        for object in gone { chunks[ObjectIdentifier(object)] = nil }
        // In this order: an object may have entered one chunk, which was cut then.
        for (object, chunk) in entered { chunks[ObjectIdentifier(object)] = chunk }
    }
}
