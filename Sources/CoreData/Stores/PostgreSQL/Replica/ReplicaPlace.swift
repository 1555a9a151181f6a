#if PostgreSQL
import Foundation

/// A folder of a replica's own, kept from others as long as this lives.
///
/// A store can't share its replica: what another one writes into it would be in none of its caches.
/// So there are as many as stores of one database are open on a machine at once, and each store
/// takes the first that is free.
final class ReplicaPlace: Sendable {
    let url: URL
    /// Of the file whose lock this holds.
    private let descriptor: Int32

    /// How many stores of one database one user may have open on a machine.
    private static let maximumCount = 1_000

    /// - Parameter folder: Where replicas of the store are; it is made if it is missing.
    init(in folder: URL) throws {
        do {
            try FileManager.default.createDirectory(
                at: folder,
                withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700]
            )
        } catch {
            throw CocoaError.fileNotWritable(folder, underlying: error)
        }
        for number in 1...Self.maximumCount {
            let lock = folder.appendingPathComponent("Replica-\(number).lock")
            let descriptor = open(lock.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw CocoaError.fileNotWritable(lock) }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 {
                self.descriptor = descriptor
                url = folder.appendingPathComponent("Replica-\(number).sqlite")
                return
            }
            let isTaken = errno == EWOULDBLOCK
            Foundation.close(descriptor)
            guard isTaken else { throw CocoaError.fileNotWritable(lock) }
        }
        throw CocoaError.storeOpen(
            folder,
            "\(Self.maximumCount) stores have a replica there already; name another folder with "
                + "PostgreSQLReplicaFolderOption"
        )
    }

    deinit { Foundation.close(descriptor) }

    /// Removes the replicas in a folder, but for those that a store has open. The files with the locks
    /// stay, for somebody may be about to take one.
    static func removeReplicas(in folder: URL) throws {
        guard FileManager.default.fileExists(atPath: folder.path) else { return }
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where name.hasPrefix("Replica-") && name.hasSuffix(".lock") {
            let lock = folder.appendingPathComponent(name)
            let descriptor = open(lock.path, O_RDWR | O_CLOEXEC)
            guard descriptor >= 0 else { throw CocoaError.fileNotWritable(lock) }
            defer { Foundation.close(descriptor) }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { continue }
            try SQLiteStore.removeStore(
                at: lock.deletingPathExtension().appendingPathExtension("sqlite")
            )
        }
    }

    /// Where the replicas of a database are if the client says nothing: in the user's caches, for
    /// all that is in them is on the server, too.
    static func defaultFolder(_ url: URL, schema: String) throws -> URL {
        let caches = try FileManager.default.url(
            for: .cachesDirectory,
            in: .userDomainMask,
            appropriateFor: nil,
            create: true
        )
        let key = SHA2.sha256(Data("\(schema) \(url.absoluteString)".utf8))
            .prefix(16).map { String(format: "%02x", $0) }.joined()
        return caches.appendingPathComponent("MergeStack/PostgreSQL/\(key)", isDirectory: true)
    }
}
#endif
