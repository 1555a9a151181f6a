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
    }
    private let blocks = Locked<[Int: Block]>([:])
    private let session: ServerSession
    private let schema: ServerSchema

    /// How often to ask again where somebody else has taken a block between two of ours.
    private static let maximumAttempts = 20

    init(_ session: ServerSession, _ schema: ServerSchema) {
        self.session = session
        self.schema = schema
    }

    /// Takes keys for good; the first of `count` consecutive ones.
    func take(rootIndex: Int, count: Int) throws -> Int64 {
        if let first = taken(rootIndex, Int64(count)) { return first }
        // Not under the lock: the server may take its time. Whoever asks meanwhile takes a block
        // of their own.
        let wanted = try newBlock(rootIndex, Int64(count))
        return try blocks.withLock { blocks in
            var block = blocks[rootIndex] ?? Block()
            // The rest of the old block goes on in the new one, if it is next to it.
            if block.end != wanted.next || block.next >= block.end { block = wanted }
            block.end = wanted.end
            let first = block.next
            guard first <= RowReference.maximumPrimaryKey - Int64(count) else {
                throw CocoaError.storeSave(
                    session.address.url,
                    "no primary keys are left in one of its tables"
                )
            }
            block.next += Int64(count)
            // The longer rest is kept, where another thread has brought a block, too.
            if let other = blocks[rootIndex], other.end != block.end,
                other.end - other.next > block.end - block.next
            {
                return first
            }
            blocks[rootIndex] = block
            return first
        }
    }

    private func taken(_ rootIndex: Int, _ count: Int64) -> Int64? {
        blocks.withLock { blocks in
            guard let block = blocks[rootIndex], block.end - block.next >= count else { return nil }
            blocks[rootIndex]?.next += count
            return block.next
        }
    }

    /// A block of so many keys or more.
    private func newBlock(_ rootIndex: Int, _ count: Int64) throws -> Block {
        let size = ServerSchema.keyBlockSize
        let blockCount = max(1, (count + size - 1) / size)
        let sequence = schema.keySequence(rootIndex: rootIndex)
        for _ in 0..<Self.maximumAttempts {
            let result = try session.translatingErrors {
                try session.perform { connection in
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
                return Block(next: first, end: last + size)
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
