/// What this room assumes of Swift's compiler and runtime, and can't do without.
///
/// Docs/SwiftRuntime.md lists all of it, with the compilers that were tried.
enum RuntimeAssumption {
    /// Stops the program, in release too, where an assumption does not hold.
    ///
    /// - Parameter what: What the runtime was expected to do, to follow "does not".
    static func require(_ holds: Bool, _ what: String) {
        CoreData.require(
            holds,
            "Swift's runtime does not \(what), which CoreData relies on: build the program with a "
                + "compiler that Docs/SwiftRuntime.md names."
        )
    }
}
