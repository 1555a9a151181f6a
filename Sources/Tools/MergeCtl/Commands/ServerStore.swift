import CoreData

/// A store on a server of PostgreSQL, as a URI and options name it.
///
/// A build without the trait `PostgreSQL` knows of such stores only how to refuse them.
struct ServerStore {
    let url: URL
    /// The schema in the database that has the tables; nil for the usual one.
    let schema: String?
    /// The folder for copies of the rows; nil for one in the user's caches.
    let replicas: String?

    init(_ text: String, _ arguments: ParsedArguments) throws {
        guard let url = URL(string: text) else {
            // Not with the text, which may have a password.
            throw CommandError(
                "The URI of the store can't be read; it is postgresql://host/database."
            )
        }
        self.url = url
        schema = arguments["schema"]
        replicas = arguments["replicas"]
    }

    /// Whether a text names a store on a server.
    static func isURI(_ text: String) -> Bool {
        ["postgresql://", "postgres://"].contains(where: text.lowercased().hasPrefix)
    }

    #if PostgreSQL
    /// The store, with nothing said but where it is.
    var description: NSPersistentStoreDescription {
        let description = NSPersistentStoreDescription(url: url)
        // NSPersistentStore.StoreType.postgreSQL, whose type needs newer systems than this tool.
        description.type = "PostgreSQL"
        for (key, value) in options { description.setOption(value, forKey: key) }
        return description
    }

    /// The options of the store that say where it is.
    private var options: [String: NSObject] {
        var options: [String: NSObject] = [:]
        if let schema { options[PostgreSQLSchemaOption] = schema as NSString }
        if let replicas {
            let folder = URL(fileURLWithPath: replicas, isDirectory: true)
            options[PostgreSQLReplicaFolderOption] = folder as NSURL
        }
        return options
    }

    /// Nothing is wrong with any of them here.
    static func checkIsKnown(in arguments: [String]) throws {}
    #else
    var description: NSPersistentStoreDescription {
        fatalError("A store on a server has come past the check of the command line.")
    }

    /// Refuses a command line that names a store on a server.
    static func checkIsKnown(in arguments: [String]) throws {
        // The value of an option may stand behind an equals sign.
        let values = arguments.map { argument in
            argument.hasPrefix("--")
                ? argument.drop { $0 != "=" }.dropFirst() : Substring(argument)
        }
        guard values.contains(where: { isURI(String($0)) }) else { return }
        throw CommandError(
            "This mergectl is built without stores on servers; build it by: swift build -c release "
                + "--product mergectl --traits PostgreSQL"
        )
    }
    #endif
}

extension CommandSyntax.Option {
    /// The options of commands that take a store on a server, too.
    static let ofServer: [CommandSyntax.Option] = {
        #if PostgreSQL
        [
            .value("schema", "NAME", "Of a store on a server: its schema; coredata if not given."),
            .value(
                "replicas",
                "FOLDER",
                "Of a store on a server: where this machine keeps its copy of the rows."
            ),
        ]
        #else
        []
        #endif
    }()
}
