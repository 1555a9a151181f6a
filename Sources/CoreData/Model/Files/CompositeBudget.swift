/// How many elements the composite attributes of one model may have. Types that use others, which
/// use others again, multiply: a small file that was made to do harm would fill the memory.
///
/// > Threading: One thread at a time.
final class CompositeBudget {
    static let maximumDepth = 16
    static let maximumElementCount = 100_000

    private var depth = 0
    private var elementCount = 0

    /// Begins with the elements of a composite, maybe inside another one.
    ///
    /// - Returns: Whether they are nested few enough.
    func enter() -> Bool {
        depth += 1
        return depth <= Self.maximumDepth
    }

    /// Ends with the elements of a composite.
    func leave() { depth -= 1 }

    /// Counts an element; false if there are too many.
    func takeElement() -> Bool {
        elementCount += 1
        return elementCount <= Self.maximumElementCount
    }
}
