import Foundation

/// Finds its way in the directories that model files are.
///
///     Name.xcdatamodeld/.xccurrentversion
///     Name.xcdatamodeld/Name 2.xcdatamodel/contents
enum ModelFile {
    /// The `contents` file of a `.xcdatamodel`, or of the current version of a `.xcdatamodeld`.
    static func contentsURL(of url: URL) throws -> URL {
        switch url.pathExtension {
        case "xcdatamodeld":
            try checkDirectory(url)
            return try contentsURL(of: try currentVersionURL(of: url))
        case "xcdatamodel":
            try checkDirectory(url)
            let contents = url.appendingPathComponent("contents", isDirectory: false)
            guard FileManager.default.fileExists(atPath: contents.path) else {
                throw CocoaError.modelFile(
                    url,
                    "it has no file \"contents\"; save it with Xcode 4 or later"
                )
            }
            return contents
        case "momd", "mom", "omo":
            throw CocoaError.compiledModel(url)
        default:
            guard url.lastPathComponent == "contents" else {
                throw CocoaError.modelFile(
                    url,
                    "its name does not end in .xcdatamodeld or .xcdatamodel; give the model itself"
                )
            }
            return url
        }
    }

    /// The versions of a `.xcdatamodeld`, by name; a model that has none is its own version.
    static func versionURLs(of url: URL) -> [URL] {
        guard url.pathExtension == "xcdatamodeld" else { return [url] }
        return names(in: url, endingIn: ["xcdatamodel"]).map {
            url.appendingPathComponent($0, isDirectory: true)
        }
    }

    /// The models among the resources in a directory.
    ///
    /// A compiled model beside its source is left out: the source is the one that can be read.
    static func modelURLs(in directory: URL) -> [URL] {
        let extensions = ["xcdatamodeld", "xcdatamodel", "momd", "mom"]
        var seen: Set<String> = []
        return names(in: directory, endingIn: extensions)
            .map { directory.appendingPathComponent($0, isDirectory: true) }
            .sorted { rank($0, extensions) < rank($1, extensions) }
            .filter { seen.insert($0.deletingPathExtension().lastPathComponent).inserted }
            .sorted { $0.lastPathComponent < $1.lastPathComponent }
    }

    /// The root element of an XML file.
    static func readMarkup(_ url: URL) throws -> MarkupElement {
        let data: Data
        do {
            let values = try FileManager.default.attributesOfItem(
                atPath: url.resolvingSymlinksInPath().path
            )
            guard values[.type] as? FileAttributeType == .typeRegular else {
                throw CocoaError.modelFile(url, "it is not a regular file; give the model itself")
            }
            let byteCount = (values[.size] as? NSNumber)?.intValue ?? 0
            guard byteCount <= MarkupReader.maximumByteCount else {
                throw CocoaError.modelFile(url, "it is larger than 16 MiB; split the model")
            }
            data = try Data(contentsOf: url)
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            throw error
        } catch {
            throw FileManager.default.fileExists(atPath: url.path)
                ? CocoaError.fileNotReadable(url, underlying: error)
                : CocoaError.noSuchFile(url, "give the path of a .xcdatamodeld or .xcdatamodel")
        }
        do throws(MarkupError) {
            return try MarkupReader.read([UInt8](data))
        } catch {
            throw CocoaError.modelFile(url, "line \(error.line): \(error.message)")
        }
    }

    // MARK: Versions

    private static func currentVersionURL(of url: URL) throws -> URL {
        let versions = versionURLs(of: url)
        let pointer = url.appendingPathComponent(".xccurrentversion", isDirectory: false)
        if FileManager.default.fileExists(atPath: pointer.path) {
            let name = try currentVersionName(pointer)
            // Looked up among the names there, so that a path in the file leads nowhere else.
            guard let version = versions.first(where: { $0.lastPathComponent == name }) else {
                throw CocoaError.modelFile(
                    url,
                    "its current version \"\(name)\" is missing; choose another in .xccurrentversion"
                )
            }
            return version
        }
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

    private static func currentVersionName(_ pointer: URL) throws -> String {
        let root = try readMarkup(pointer)
        let dictionary = root.children.first { $0.name == "dict" }?.children ?? []
        for (key, value) in zip(dictionary, dictionary.dropFirst())
        where key.name == "key" && key.text == "_XCCurrentVersionName" && value.name == "string" {
            return value.text
        }
        throw CocoaError.modelFile(pointer, "it has no string for the key _XCCurrentVersionName")
    }

    // MARK: Directories

    private static func checkDirectory(_ url: URL) throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw CocoaError.noSuchFile(url, "give the path of a .xcdatamodeld or .xcdatamodel")
        }
        guard isDirectory.boolValue else {
            throw CocoaError.modelFile(url, "it is a file, and models are directories")
        }
    }

    /// The names in a directory, sorted; none if it cannot be read.
    private static func names(in directory: URL, endingIn extensions: [String]) -> [String] {
        let all: [String]
        do {
            all = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        } catch {
            // A bundle without resources has no such directory; a model that has none is told
            // from the empty list.
            return []
        }
        return all.filter { extensions.contains(($0 as NSString).pathExtension) }.sorted()
    }

    private static func rank(_ url: URL, _ extensions: [String]) -> Int {
        extensions.firstIndex(of: url.pathExtension) ?? extensions.count
    }
}
