import Foundation

/// Compiled models on disk.
///
///     Name.momd/VersionInfo.plist
///     Name.momd/Name 2.mom
enum CompiledModelFile {
    /// Fills a model with the current version of a `.momd`.
    static func readCurrentVersion(of url: URL, into model: NSManagedObjectModel) throws {
        try FileReading.checkDirectory(url)
        let information = try CompiledVersions.of(url)
        try read(currentVersionURL(of: url, information), into: model, information: information)
    }

    /// Fills a model with a `.mom`.
    static func read(_ url: URL, into model: NSManagedObjectModel) throws {
        let folder = url.deletingLastPathComponent()
        // A model alone has no statements; those beside a version count.
        let information =
            folder.pathExtension == "momd" ? try CompiledVersions.of(folder) : nil
        try read(url, into: model, information: information)
    }

    private static func read(
        _ url: URL,
        into model: NSManagedObjectModel,
        information: CompiledVersions?
    ) throws {
        let data = try FileReading.bytes(of: url)
        do throws(ArchiveError) {
            try ModelArchiveReader.read(data, into: model)
        } catch {
            throw CocoaError.modelFile(url, error.reason, underlying: error)
        }
        let name = url.deletingPathExtension().lastPathComponent
        // Some hashes can't be computed, such as those of entities with derived attributes: what
        // the file states counts for them.
        guard let stated = information?.hashes[name] else { return }
        HashStatement(hashes: stated, place: "VersionInfo.plist states").apply(to: model)
    }

    /// The versions of a `.momd`, by name.
    static func versionURLs(of url: URL) -> [URL] {
        FileReading.names(in: url, endingIn: ["mom"]).map {
            url.appendingPathComponent($0, isDirectory: false)
        }
    }

    private static func currentVersionURL(
        of url: URL,
        _ information: CompiledVersions?
    ) throws -> URL {
        let versions = versionURLs(of: url)
        if let name = information?.currentVersionName {
            // Looked up among the names there, so that a path in the file leads nowhere else.
            guard let version = versions.first(where: { $0.lastPathComponent == "\(name).mom" })
            else {
                throw CocoaError.modelFile(
                    url,
                    "its current version \"\(name)\" is missing; build the model again"
                )
            }
            return version
        }
        // A model without versions has one file, and no statement of which is current.
        let ownName = url.deletingPathExtension().lastPathComponent
        let named = versions.first { $0.deletingPathExtension().lastPathComponent == ownName }
        guard let version = versions.count == 1 ? versions.first : named else {
            throw CocoaError.modelFile(
                url,
                versions.isEmpty
                    ? "it has no .mom inside; build the model again"
                    : "it has several versions and no VersionInfo.plist that says which is current"
            )
        }
        return version
    }
}

/// What `VersionInfo.plist` says of the versions of a `.momd`.
struct CompiledVersions {
    static let fileName = "VersionInfo.plist"
    static let currentVersionKey = "NSManagedObjectModel_CurrentVersionName"
    static let hashesKey = "NSManagedObjectModel_VersionHashes"
    static let checksumsKey = "NSManagedObjectModel_VersionChecksums"

    /// Without extension; nil for a model with one version.
    let currentVersionName: String?
    /// The version hash of each entity by its name, by the name of the version.
    let hashes: [String: [String: Data]]

    /// What was read last: each version of a model asks, and the file tells of all versions.
    private static let last = Locked<(url: URL, file: FileStamps, versions: CompiledVersions)?>(nil)

    /// What the file in a directory says; nil if there is no such file.
    static func of(_ directory: URL) throws -> CompiledVersions? {
        let url = directory.appendingPathComponent(fileName, isDirectory: false)
        guard FileManager.default.fileExists(atPath: url.path) else { return nil }
        if let last = last.withLock({ $0 }), last.url == url, last.file.areCurrent {
            return last.versions
        }
        let file = FileStamps(url)
        let versions = try CompiledVersions(readingFrom: url)
        if file.tellChanges { last.withLock { $0 = (url, file, versions) } }
        return versions
    }

    private init(readingFrom url: URL) throws {
        let data = try FileReading.bytes(of: url)
        let list: PropertyListValue
        do throws(ArchiveError) {
            list = try PropertyList.read(data)
        } catch {
            throw CocoaError.modelFile(url, error.reason, underlying: error)
        }
        currentVersionName = list[Self.currentVersionKey]?.string
        var hashes: [String: [String: Data]] = [:]
        if case .dictionary(let versions)? = list[Self.hashesKey] {
            for (version, entities) in versions {
                guard case .dictionary(let entries) = entities else { continue }
                hashes[version] = entries.compactMapValues(\.data)
            }
        }
        self.hashes = hashes
    }
}
