import Foundation

/// Models in all their forms on disk.
enum ModelFile {
    /// The extensions of models, the form that is taken first at the beginning.
    static let extensions = ["momd", "mom", "xcdatamodeld", "xcdatamodel"]

    /// Fills a model, which is still empty, from the file or folder at a URL.
    static func read(_ url: URL, into model: NSManagedObjectModel) throws {
        switch url.pathExtension {
        case "momd": try CompiledModelFile.readCurrentVersion(of: url, into: model)
        case "mom": try CompiledModelFile.read(url, into: model)
        case "omo":
            throw CocoaError.modelFile(
                url,
                "it is the optimised form of a model, which is private to Apple's framework; give "
                    + "the .mom beside it"
            )
        default:
            let contents = try ModelSourceFile.contentsURL(of: url)
            try ModelSourceFile.read(contents, into: model)
        }
    }

    /// The versions of a `.xcdatamodeld` or a `.momd`, by name; a model that has none is its own
    /// version.
    static func versionURLs(of url: URL) -> [URL] {
        switch url.pathExtension {
        case "xcdatamodeld": ModelSourceFile.versionURLs(of: url)
        case "momd": CompiledModelFile.versionURLs(of: url)
        default: [url]
        }
    }

    /// All versions of the model that a file is, or is a version of.
    static func siblingURLs(of url: URL) -> [URL] {
        let folder = url.deletingLastPathComponent()
        return ["xcdatamodeld", "momd"].contains(folder.pathExtension)
            ? versionURLs(of: folder) : versionURLs(of: url)
    }

    /// The models among the resources in a directory.
    ///
    /// Of a model in several forms the compiled one is taken, as the program was built with it.
    static func modelURLs(in directory: URL) -> [URL] {
        var seen: Set<String> = []
        // One form after the other, so that the filter meets compiled ones first. The sorting makes
        // the order that of the names, whatever forms there are.
        return extensions.flatMap { FileReading.names(in: directory, endingIn: [$0]) }
            .map { directory.appendingPathComponent($0, isDirectory: true) }
            .filter { seen.insert($0.deletingPathExtension().lastPathComponent).inserted }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }
}
