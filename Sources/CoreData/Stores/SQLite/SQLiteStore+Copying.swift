import Foundation

extension SQLiteStore {
    /// A copy of a store's files that is not in its place yet.
    struct Copy {
        fileprivate let file: StoreFile

        /// Puts the copy where no store is.
        func move(to url: URL) throws {
            let destination = try StoreFile(url)
            let manager = FileManager.default
            try manager.moveItem(at: file.url, to: destination.url)
            let support = file.externalData.support
            guard manager.fileExists(atPath: support.path) else { return }
            let target = destination.externalData.support
            try manager.moveItem(at: support, to: target)
        }
    }

    /// Copies a store as it stands after its last commit, into the folder of another one.
    static func makeCopy(of source: URL, beside destination: URL) throws -> Copy {
        let file = try StoreFile(source)
        let opening = try StoreOpening(file: file, options: nil, isReadOnly: true)
        let folder = destination.deletingLastPathComponent()
        let copy = try StoreFile(folder.appendingPathComponent(".\(UUID().uuidString).sqlite"))
        do {
            let (connection, _) = try opening.readingConnection()
            let statement = try connection.statement("VACUUM INTO ?")
            statement.bind(1, copy.path)
            try statement.run()
            let support = file.externalData.support
            if FileManager.default.fileExists(atPath: support.path) {
                try FileManager.default.copyItem(
                    at: support,
                    to: copy.externalData.support
                )
            }
        } catch {
            try copy.remove()
            if let error = error as? SQLiteError { throw error.cocoaError(source) }
            throw error
        }
        return Copy(file: copy)
    }
}
