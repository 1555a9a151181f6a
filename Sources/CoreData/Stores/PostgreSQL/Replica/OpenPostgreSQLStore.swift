#if PostgreSQL
import Foundation

/// What a store in PostgreSQL has between opening and closing.
///
/// > Threading: Any thread.
final class OpenPostgreSQLStore: Sendable {
    let address: ServerAddress
    let schema: ServerSchema
    /// For saves and keys; the feed has a session of its own.
    let session: ServerSession
    let keys: KeyBlocks
    let replica: SQLiteStore
    let follower: ReplicaFollower
    let feed: ChangeFeed
    let groups = SaveGroups()
    /// The saves of which it is not known whether they are committed.
    let unsettled = Locked<[UUID]>([])
    private let place: ReplicaPlace

    init(
        session: ServerSession,
        schema: ServerSchema,
        replica: SQLiteStore,
        place: ReplicaPlace,
        isReadOnly: Bool,
        onChange: @escaping @Sendable (TouchedRows) -> Void
    ) throws {
        address = session.address
        self.session = session
        self.schema = schema
        self.replica = replica
        self.place = place
        let keys = KeyBlocks(session, schema, claimingIn: try replica.opened().keys)
        self.keys = keys
        let follower = try ReplicaFollower(
            replica,
            schema,
            session.address.url,
            isReadOnly: isReadOnly,
            // The server may give them out again.
            onLoss: { keys.forget() },
            onChange: onChange
        )
        self.follower = follower
        feed = ChangeFeed(session.address, channel: schema.channel) {
            try follower.follow($0, numbersAll: $1)
        }
    }

    func close() {
        feed.stop()
        session.close()
        replica.close()
    }
}
#endif
