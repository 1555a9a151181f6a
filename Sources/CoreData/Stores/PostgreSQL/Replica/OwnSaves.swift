#if PostgreSQL
import Foundation

/// What a store has saved itself, so that its replica has the rows, until it comes back by the feed.
struct OwnSaves {
    private(set) var all: Set<UUID> = []
    /// Those that the server has committed and of which the replica is not known to have the rows: its
    /// transaction may still fail, where the disk is full.
    private var inDoubt: Set<UUID> = []

    /// Those that the replica has.
    var settled: Set<UUID> { all.subtracting(inDoubt) }

    mutating func insert(_ saves: some Sequence<UUID>, areInDoubt: Bool = false) {
        all.formUnion(saves)
        if areInDoubt { inDoubt.formUnion(saves) }
    }

    mutating func settle(_ saves: some Sequence<UUID>) { inDoubt.subtract(saves) }

    mutating func subtract(_ saves: some Sequence<UUID>) {
        all.subtract(saves)
        inDoubt.subtract(saves)
    }
}
#endif
