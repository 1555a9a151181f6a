import Foundation

/// Mapping models in both forms: compiled, `.cdm`, and their sources, `.xcmappingmodel`.
enum MappingModelFile {
    static let compiledExtension = "cdm"
    static let sourceExtension = "xcmappingmodel"
    /// The file in the folder that a source is.
    static let contentName = "xcmapping.xml"

    /// The URL, or where the source stands if there is nothing compiled at it.
    static func existing(_ url: URL) -> URL {
        guard url.isFileURL, url.pathExtension == compiledExtension,
            !FileManager.default.fileExists(atPath: url.path)
        else { return url }
        let source = url.deletingPathExtension().appendingPathExtension(sourceExtension)
        return FileManager.default.fileExists(atPath: source.path) ? source : url
    }

    /// The mapping models in some folders; of one in both forms the compiled one.
    static func urls(in folders: [URL]) -> [URL] {
        folders.flatMap { folder in
            var seen: Set<String> = []
            return FileReading.names(in: folder, endingIn: [compiledExtension, sourceExtension])
                .map { folder.appendingPathComponent($0) }
                // Compiled ones go to the front, so that it is their sources that the next step
                // leaves out.
                .sorted { !isSource($0) && isSource($1) }
                .filter { seen.insert($0.deletingPathExtension().lastPathComponent).inserted }
        }
    }

    /// The file that a mapping model is read from, which of a source is in the folder.
    static func contents(of url: URL) -> URL {
        url.pathExtension == sourceExtension ? url.appendingPathComponent(contentName) : url
    }

    static func isSource(_ url: URL) -> Bool {
        url.pathExtension == sourceExtension || url.lastPathComponent == contentName
    }
}
