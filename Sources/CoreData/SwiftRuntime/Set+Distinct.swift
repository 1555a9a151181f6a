extension Set {
    /// A set of elements of which no two are equal: in half the time that `init(_:)` takes, which
    /// looks for an equal one of each.
    ///
    /// By the builder that the standard library has for bridges to other languages; it is public and
    /// frozen there, and spelled as what a program had better not use, for equal elements would give a
    /// set that has both.
    init(distinct elements: some Collection<Element>) {
        var builder = _SetBuilder<Element>(count: elements.count)
        for element in elements { builder.add(member: element) }
        self = builder.take()
        assert(
            Set(elements).count == elements.count,
            "CoreData: elements of a set that are said to be distinct are equal."
        )
    }
}
