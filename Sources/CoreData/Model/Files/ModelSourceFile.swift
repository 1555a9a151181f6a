import Foundation
import Markup

/// Finds its way in the directories that sources of models are.
///
///     Name.xcdatamodeld/.xccurrentversion
///     Name.xcdatamodeld/Name 2.xcdatamodel/contents
enum ModelSourceFile {
    /// The `contents` file of a `.xcdatamodel`, or of the current version of a `.xcdatamodeld`.
    static func contentsURL(of url: URL) throws -> URL {
        switch url.pathExtension {
        case "xcdatamodeld":
            try FileReading.checkDirectory(url)
            return try contentsURL(of: try currentVersionURL(of: url))
        case "xcdatamodel":
            try FileReading.checkDirectory(url)
            let contents = url.appendingPathComponent("contents", isDirectory: false)
            guard FileManager.default.fileExists(atPath: contents.path) else {
                throw CocoaError.modelFile(
                    url,
                    "it has no file \"contents\"; save it with Xcode 4 or later"
                )
            }
            return contents
        default:
            guard url.lastPathComponent == "contents" else {
                throw CocoaError.modelFile(
                    url,
                    "its name does not end in .xcdatamodeld, .xcdatamodel, .momd or .mom; give the "
                        + "model itself"
                )
            }
            return url
        }
    }

    /// The versions of a `.xcdatamodeld`, by name.
    static func versionURLs(of url: URL) -> [URL] {
        FileReading.names(in: url, endingIn: ["xcdatamodel"]).map {
            url.appendingPathComponent($0, isDirectory: true)
        }
    }

    /// Reads a `contents` file into a model.
    static func read(_ contents: URL, into model: NSManagedObjectModel) throws {
        let data = try FileReading.bytes(
            of: contents,
            maximumByteCount: MarkupReader.Limits.modelFile.byteCount
        )
        try read(data, of: contents, into: model)
    }

    /// Reads the bytes of a `contents` file into a model.
    static func read(_ data: Data, of contents: URL, into model: NSManagedObjectModel) throws {
        let root: MarkupElement
        do throws(MarkupError) {
            root = try MarkupReader.read([UInt8](data))
        } catch {
            throw CocoaError.modelFile(contents, "line \(error.line): \(error.message)")
        }
        try ModelFileReader(url: contents).read(root, into: model)
    }

    // MARK: Versions

    /// The version that is compiled for programs to start with.
    static func currentVersionURL(of url: URL) throws -> URL {
        let versions = versionURLs(of: url)
        let pointer = url.appendingPathComponent(".xccurrentversion", isDirectory: false)
        if FileManager.default.fileExists(atPath: pointer.path),
            let name = try currentVersionName(pointer)
        {
            // Looked up among the names there, so that a path in the file leads nowhere else.
            guard let version = versions.first(where: { $0.lastPathComponent == name }) else {
                throw CocoaError.modelFile(
                    url,
                    "its current version \"\(name)\" is missing; choose another in .xccurrentversion"
                )
            }
            return version
        }
        // Xcode leaves the pointer out, or empty, where there is one version.
        let ownName = url.deletingPathExtension().lastPathComponent
        let named = versions.first { $0.deletingPathExtension().lastPathComponent == ownName }
        guard let version = versions.count == 1 ? versions.first : named else {
            throw CocoaError.modelFile(
                url,
                versions.isEmpty
                    ? "it has no .xcdatamodel inside; add one"
                    : "it has several versions and no .xccurrentversion that says which is current"
            )
        }
        return version
    }

    /// nil if the pointer names none.
    private static func currentVersionName(_ pointer: URL) throws -> String? {
        let data = try FileReading.bytes(of: pointer)
        let list: PropertyListValue
        do throws(ArchiveError) {
            list = try PropertyList.read(data)
        } catch {
            throw CocoaError.modelFile(pointer, error.reason)
        }
        guard let value = list["_XCCurrentVersionName"] else { return nil }
        guard let name = value.string else {
            throw CocoaError.modelFile(
                pointer,
                "it has no string for the key _XCCurrentVersionName"
            )
        }
        return name
    }
}
