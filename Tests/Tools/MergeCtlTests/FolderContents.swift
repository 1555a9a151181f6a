import Foundation

/// Every byte of a folder's files, to be compared.
struct FolderContents: Equatable {
    private var files: [String: Data?]

    init(_ folder: URL) throws {
        let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
        files = try Dictionary(
            uniqueKeysWithValues: names.map { name in
                let url = folder.appendingPathComponent(name)
                var isFolder: ObjCBool = false
                let isThere = FileManager.default.fileExists(
                    atPath: url.path,
                    isDirectory: &isFolder
                )
                return (name, isThere && !isFolder.boolValue ? try Data(contentsOf: url) : nil)
            }
        )
    }

    /// The same without a file.
    func without(_ name: String) -> FolderContents {
        var rest = self
        rest.files[name] = nil
        return rest
    }

    /// The names of the files and folders.
    var names: [String] { files.keys.sorted() }
}
