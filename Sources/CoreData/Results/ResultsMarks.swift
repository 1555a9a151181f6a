/// Marks on the objects that a change is about, while a list is brought up to date: a look at an
/// object is cheaper than one into a set.
///
/// > Threading: Confined to the context's queue.
struct ResultsMarks {
    /// What is marked.
    private(set) var objects: [NSManagedObject] = []

    /// Whether an object is marked.
    func hold(_ object: NSManagedObject) -> Bool { object.flags.contains(.marked) }

    /// The marked objects of a list, with their places.
    func changed(_ list: ResultsObjects) -> [ResultsEdit.Placed] {
        list.enumerated().filter { hold($0.element) }.map { ($0.offset, $0.element) }
    }

    /// Marks an object.
    ///
    /// - Returns: False if it was marked before.
    @discardableResult mutating func add(_ object: NSManagedObject) -> Bool {
        guard !hold(object) else { return false }
        object.flags.insert(.marked)
        objects.append(object)
        return true
    }

    /// Takes all marks away.
    func remove() {
        for object in objects { object.flags.remove(.marked) }
    }
}
