import CoreData

/// The part of `mergectl migrate` that is about servers: it copies a store from one into a file, or
/// from a file to one.
enum StoreTransferCommand {
    /// What `mergectl migrate --format json` prints of a copy.
    private struct Report: Encodable {
        let store: String
        let target: String
        let objectCount: Int
    }

    static let options: [CommandSyntax.Option] = {
        #if PostgreSQL
        CommandSyntax.Option.ofServer + [
            .value("model", "MODEL", "Of a store that is copied from or to a server: its model.")
        ]
        #else
        []
        #endif
    }()

    static let discussion: [String] = {
        #if PostgreSQL
        [
            "",
            "Where STORE or the value of --to is the URI of a server, all objects are copied into a",
            "new store, from the server into a file or from a file to the server, at the version",
            "that they are at.",
        ]
        #else
        []
        #endif
    }()

    /// The options of `migrate` that are about versions of a model.
    private static let versionOptions = ["through"]
    private static let versionFlags = ["dry-run", "yes", "drop-entities", "no-copy"]

    /// Copies, if the command line is about a server.
    ///
    /// - Returns: Whether it is.
    static func runs(_ arguments: ParsedArguments) throws -> Bool {
        let path = arguments.operands[0], to = try arguments.required("to")
        guard ServerStore.isURI(path) || ServerStore.isURI(to) else {
            guard arguments["model"] == nil else {
                throw arguments.usageError("The option --model is for a store on a server.")
            }
            return false
        }
        try check(arguments, path, to)
        let isFromServer = ServerStore.isURI(path)
        let source = isFromServer ? try StoreName(path, arguments) : StoreName(file: path)
        let target = isFromServer ? StoreName(file: to) : try StoreName(to, arguments)
        let model = try StoreAccess.model(arguments["model"], forStore: source)
        let count = try StoreTransfer(source: source, target: target, model: model).run()
        switch try arguments.choice("format", default: ReportFormat.text) {
        case .text: Terminal.print("\(count) objects of \(path) are in \(to)")
        case .json:
            let report = Report(store: path, target: to, objectCount: count)
            try Terminal.print(JSONReport.text(report))
        }
        return true
    }

    private static func check(_ arguments: ParsedArguments, _ path: String, _ to: String) throws {
        let others =
            versionOptions.filter { arguments[$0] != nil } + versionFlags.filter(arguments.has)
        if let other = others.first {
            throw arguments.usageError(
                "The option --\(other) is about versions of a model, and a store that is copied "
                    + "keeps its version."
            )
        }
        guard ServerStore.isURI(path) else { return try StorePlace.check(path) }
        guard !ServerStore.isURI(to) else {
            throw CommandError("A store is not copied from server to server; name a file.")
        }
        guard !StoreAccess.isNamedAsModel(to) else {
            throw CommandError(
                "A store on a server is not migrated to another version of its model in place; --to "
                    + "names the file that it is copied into. Migrate that, and copy it back into "
                    + "another schema."
            )
        }
        guard !FileManager.default.fileExists(atPath: to) else {
            throw CommandError("There is a file \(to) already; name another one.")
        }
        try TargetPlace.check(to)
    }
}
