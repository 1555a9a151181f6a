extension Set where Element: AnyObject {
    /// A set of objects of which none is named twice: in half the time that `init(_:)` takes, which
    /// looks for an equal one of each.
    ///
    /// By the builder that the standard library has for bridges to other languages; it is public and
    /// frozen there, and spelled as what a program had better not use, for an object that is named twice
    /// would be in the set twice.
    ///
    /// Builds for debugging do without: there the builder looks for equal elements as well, and stops
    /// the program at two. Classes of old code may call two objects equal, though Apple forbids it.
    init(distinct elements: some Collection<Element>) {
        #if DEBUG
        let all = Array(elements)
        assert(
            Set<ObjectIdentifier>(all.map(ObjectIdentifier.init)).count == all.count,
            "CoreData: an object is named twice in what is to become a set."
        )
        self.init(all)
        #else
        var builder = _SetBuilder<Element>(count: elements.count)
        for element in elements { builder.add(member: element) }
        self = builder.take()
        #endif
    }
}
