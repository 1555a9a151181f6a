import SeededRandom

/// A kind of random test: contexts, random steps on them, and what must be true at the end.
///
/// Every choice of a step comes from the step's own numbers, so that a sequence from which others
/// are dropped still means something. A step says in `log` what it does before it does it.
///
/// > Threading: The main thread, which is inside of the main queue.
package protocol RandomFamily: AnyObject {
    /// What it is called on the command line.
    static var name: String { get }
    /// How many steps a sequence has at most.
    static var stepCount: Int { get }
    /// What was done, in words.
    var log: [String] { get }

    /// Makes stores and contexts.
    init(_ random: inout SplitMix) throws
    /// Does something.
    func step(_ random: inout SplitMix) throws
    /// Brings everything to rest, and compares.
    ///
    /// - Throws: `Difference`; what should not have failed.
    func finish() throws
}

/// All kinds of random tests.
package enum RandomFamilies {
    package static var all: [any RandomFamily.Type] {
        [
            UnmergedWindow.self, ConflictsObserved.self, DanglingRelations.self, ResultsLists.self,
            ContextTrees.self,
        ]
    }

    package static func named(_ name: String) -> (any RandomFamily.Type)? {
        all.first { $0.name == name }
    }
}
