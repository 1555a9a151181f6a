import CoreData

/// A store as the command line names it: the path of a file, or the URI of a server of PostgreSQL
/// that many machines share it on.
struct StoreName {
    /// As the user wrote it.
    let text: String
    /// What the options say of a store on a server; nil for a file.
    let server: ServerStore?

    /// - Throws: `CommandError` for a URI that can't be read.
    init(_ text: String, _ arguments: ParsedArguments) throws {
        self.text = text
        server = ServerStore.isURI(text) ? try ServerStore(text, arguments) : nil
        guard server == nil else { return }
        for option in CommandSyntax.Option.ofServer where arguments[option.name] != nil {
            throw arguments.usageError(
                "The option --\(option.name) is for a store on a server, and \(text) is a file."
            )
        }
    }

    /// A file that no user has named.
    init(file path: String) {
        text = path
        server = nil
    }

    var isOnServer: Bool { server != nil }

    /// The store for a stack.
    ///
    /// - Parameters:
    ///   - isReadOnly: Whether nothing of the store is written.
    ///   - tracksHistory: Whether the store tells of what other processes write.
    func description(isReadOnly: Bool, tracksHistory: Bool) -> NSPersistentStoreDescription {
        let description =
            server?.description ?? NSPersistentStoreDescription(url: URL(fileURLWithPath: text))
        // A store is migrated when the user says so, not by looking into it.
        description.shouldMigrateStoreAutomatically = false
        description.isReadOnly = isReadOnly
        if tracksHistory {
            for key in [
                NSPersistentHistoryTrackingKey,
                NSPersistentStoreRemoteChangeNotificationPostOptionKey,
            ] {
                description.setOption(NSNumber(value: true), forKey: key)
            }
        }
        return description
    }
}
