/// Marks on the objects that a change is about, while a list is brought up to date: a look at an
/// object is cheaper than one into a set, and each object of the list is looked at.
///
/// > Threading: Confined to the context's queue.
struct ResultsMarks {
    private var objects: [NSManagedObject] = []

    /// Whether an object is marked.
    static func hold(_ object: NSManagedObject) -> Bool { object.flags.contains(.marked) }

    /// Marks an object.
    ///
    /// - Returns: False if it was marked before.
    @discardableResult mutating func add(_ object: NSManagedObject) -> Bool {
        guard !Self.hold(object) else { return false }
        object.flags.insert(.marked)
        objects.append(object)
        return true
    }

    /// Takes all marks away.
    func remove() {
        for object in objects { object.flags.remove(.marked) }
    }
}
