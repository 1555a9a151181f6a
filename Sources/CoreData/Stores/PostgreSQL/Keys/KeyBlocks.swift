#if PostgreSQL
import Foundation

/// The primary keys that a store has taken from its server, of each root entity.
///
/// A sequence gives blocks of them without a lock that lasts as long as a transaction. What is not
/// used of a block is lost with the store, as a gap.
///
/// > Threading: Any thread.
final class KeyBlocks: Sendable {
    private struct Block {
        var next: Int64 = 1
        /// The key behind the last one.
        var end: Int64 = 1
        /// How many of the server's blocks were taken at once.
        var blockCount: Int64 = 0
        var rest: Int64 { end - next }
    }
    private let blocks = Locked<[Int: Block]>([:])
    private let session: ServerSession
    private let schema: ServerSchema
    /// What the replica knows of keys that nobody else is given.
    private let reservations: PrimaryKeyReservations

    /// How many blocks are taken at once at most, beyond what is asked for: a store that uses them up
    /// takes twice as many the next time, for an import not to ask with each save.
    private static let maximumBlockCount: Int64 = 16
    /// How often to ask again where somebody else has taken a block between two of ours.
    private static let maximumAttempts = 20

    init(
        _ session: ServerSession,
        _ schema: ServerSchema,
        claimingIn reservations: PrimaryKeyReservations
    ) {
        self.session = session
        self.reservations = reservations
        self.schema = schema
    }

    /// Takes keys for good; the first of `count` consecutive ones.
    func take(rootIndex: Int, count: Int) throws -> Int64 {
        if let first = taken(rootIndex, Int64(count)) { return first }
        // Not under the lock: the server may take its time. Whoever asks meanwhile takes a block
        // of their own.
        let wanted = try newBlock(rootIndex, Int64(count))
        guard wanted.end - 1 <= RowReference.maximumPrimaryKey else {
            throw CocoaError.storeSave(
                session.address.url,
                "no primary keys are left in one of its tables"
            )
        }
        reservations.claim(wanted.next...wanted.end - 1, rootIndex: rootIndex)
        return blocks.withLock { blocks in
            var block = wanted
            let old = blocks[rootIndex]
            let goesOn = old?.end == wanted.next
            if goesOn, let old { block.next = old.next }
            let first = block.next
            block.next += Int64(count)
            // Of two blocks that are apart the one with the longer rest is kept: another thread may
            // have brought one, too.
            if let old, !goesOn, old.rest > block.rest { return first }
            blocks[rootIndex] = block
            return first
        }
    }

    /// Has all blocks that are given from now on lie behind a key.
    func pass(_ key: Int64, rootIndex: Int) throws {
        let size = ServerSchema.keyBlockSize
        let sequence = schema.keySequence(rootIndex: rootIndex)
        try session.translatingErrors {
            _ = try session.perform { connection in
                try connection.run(
                    "SELECT setval($1::text::regclass, greatest($2, "
                        + "(SELECT last_value FROM \(sequence))))",
                    // The first key of the block that has it: the sequence goes on behind that.
                    [.text(sequence), .integer((key - 1) / size * size + 1)]
                )
            }
        }
        forget()
    }

    /// Gives up what is left of the blocks.
    func forget() { blocks.withLock { $0 = [:] } }

    private func taken(_ rootIndex: Int, _ count: Int64) -> Int64? {
        blocks.withLock { blocks in
            guard let block = blocks[rootIndex], block.rest >= count else { return nil }
            blocks[rootIndex]?.next += count
            return block.next
        }
    }

    /// A block of so many keys or more.
    private func newBlock(_ rootIndex: Int, _ count: Int64) throws -> Block {
        let size = ServerSchema.keyBlockSize
        let needed = max(1, (count + size - 1) / size)
        let previous = blocks.withLock { $0[rootIndex]?.blockCount ?? 0 }
        let sequence = schema.keySequence(rootIndex: rootIndex)
        for attempt in 0..<Self.maximumAttempts {
            // Of many blocks, others are more likely to take one in between.
            let blockCount =
                attempt == 0 ? max(needed, min(2 * previous, Self.maximumBlockCount)) : needed
            let result = try session.translatingErrors {
                // Keys whose answer is lost are a gap.
                try session.performRepeatably { connection in
                    try connection.run(
                        "SELECT nextval($1::text::regclass) FROM generate_series(1, $2::int8)",
                        [.text(sequence), .integer(blockCount)]
                    )
                }
            }
            let first = result.integer(0, 0)
            let last = result.integer(result.rowCount - 1, 0)
            // Another store may have taken one of the blocks in between.
            if last - first == (blockCount - 1) * size {
                return Block(next: first, end: last + size, blockCount: blockCount)
            }
        }
        throw CocoaError.storeSave(
            session.address.url,
            "so many new objects of one entity can't be numbered while others add some; save fewer "
                + "at once"
        )
    }
}
#endif
