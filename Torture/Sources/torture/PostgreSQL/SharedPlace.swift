#if PostgreSQL
import CoreData
import Foundation

/// A schema on a server, as a machine opens it that has a folder for its replica.
struct SharedPlace {
    let url: URL
    let schema: String
    let replicas: URL

    /// The place that a child is told on its command line.
    ///
    /// - Parameter options: Of these the folder is that of the replicas, and the point the schema.
    init(_ text: String, _ options: Options) throws {
        guard let url = URL(string: text), let schema = options.point else {
            throw UsageError(text: "no server and no schema are named")
        }
        self.init(url: url, schema: schema, replicas: options.folder)
    }

    init(url: URL, schema: String, replicas: URL) {
        self.url = url
        self.schema = schema
        self.replicas = replicas
    }

    /// What tells a child of the place.
    var arguments: [String] { [url.absoluteString, "--folder", replicas.path, "--point", schema] }

    var description: NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription(url: url)
        description.type = NSPersistentStore.StoreType.postgreSQL.rawValue
        for (key, value) in values { description.setOption(value, forKey: key) }
        return description
    }

    /// A stack of its own, which the caller closes.
    func open() throws -> Stack {
        try Stack(url, type: NSPersistentStore.StoreType.postgreSQL.rawValue, options: values)
    }

    private var values: [String: NSObject] {
        [
            PostgreSQLSchemaOption: schema as NSString,
            PostgreSQLReplicaFolderOption: replicas as NSURL,
            NSPersistentHistoryTrackingKey: true as NSNumber,
            NSPersistentStoreRemoteChangeNotificationPostOptionKey: true as NSNumber,
        ]
    }

    /// The file of the first replica in the folder, by SQLite alone.
    var replica: StoreDump {
        StoreDump(of: replicas.appendingPathComponent("Replica-1.sqlite"), givesKeys: false)
    }
}

/// What became of a save, as its error says.
enum SaveOutcome: String {
    case saved
    /// Not known, which the next save finds out.
    case unknown
    /// Others were faster; nothing is written.
    case refused
    /// Something else; nothing is written.
    case failed

    /// - Parameter error: What the save has thrown.
    init(_ error: any Error) {
        let error = error as NSError
        let inner = error.userInfo[NSUnderlyingErrorKey] as? NSError
        let isUnknown =
            inner?.domain == PostgreSQLErrorDomain && inner?.code == PostgreSQLOutcomeUnknownError
        let refusals = [NSManagedObjectMergeError, NSManagedObjectConstraintMergeError]
        self =
            isUnknown
            ? .unknown
            : error.domain == NSCocoaErrorDomain && refusals.contains(error.code)
                ? .refused : .failed
    }
}

extension NSManagedObjectContext {
    /// The lines of a dump of the store with this context's changes, sorted.
    func shownLines() throws -> [String] {
        try ["Item", "Owner", "Tag", "List", "Entry"].flatMap { try all($0) }.map(\.dumpLine)
            .sorted()
    }
}
#endif
