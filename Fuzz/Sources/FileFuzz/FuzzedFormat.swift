import Foundation

@testable import CoreData

/// A format of files from outside that has a reader of our own.
///
/// The readers get the bytes in memory: files and databases around them would make a round a
/// hundred times slower, and are not what is fuzzed.
enum FuzzedFormat: String, CaseIterable {
    /// Property lists, binary and XML.
    case list
    /// Keyed archives of transformable values.
    case archive
    /// Compiled models (`.mom`).
    case compiled
    /// Sources of models (`contents`).
    case source
    /// What folders of a model's versions say of them (`VersionInfo.plist`, `.xccurrentversion`).
    case versions
    /// The models that stores keep (`Z_MODELCACHE`).
    case cache
    /// The metadata of stores (`Z_PLIST`).
    case metadata

    /// Reads bytes and uses what comes out as the framework does.
    func read(_ data: Data) throws {
        switch self {
        case .list: try readList(data)
        case .archive: try readArchive(data)
        case .compiled:
            try readModel { try ModelArchiveReader.read(data, into: $0) }
        case .source:
            let contents = URL(fileURLWithPath: "/contents")
            try readModel { try ModelSourceFile.read(data, of: contents, into: $0) }
        case .versions: try VersionFolders.shared.get().read(data)
        case .cache:
            let archive = try Inflater.inflate(
                data,
                maximumByteCount: PropertyList.maximumByteCount
            )
            try readModel { try ModelArchiveReader.read(archive, into: $0) }
        case .metadata: try readMetadata(data)
        }
    }

    /// What was read is written, and reads again as the same bytes.
    private func readList(_ data: Data) throws {
        let list = try PropertyList.read(data)
        _ = list.anyValue
        let written = BinaryPropertyListWriter.data(list)
        let again = Self.mustRead { try PropertyList.read(written) }
        guard BinaryPropertyListWriter.data(again) == written else {
            fatalError("The list changes")
        }
    }

    private func readArchive(_ data: Data) throws {
        let read = try TransformableValue.value(of: data, allowing: TransformableValue.safeClasses)
        // A decimal number by itself can't be hashed on Linux, whoever made it.
        guard let read, let value = HashableDecimalNumber.hashable(read) as? NSObject else {
            return
        }
        // Contexts compare and copy values, and write them again.
        _ = value.hash
        _ = value.isEqual(value.copy())
        _ = try TransformableValue.archive(read)
    }

    private func readModel(_ read: (NSManagedObjectModel) throws -> Void) throws {
        let model = NSManagedObjectModel()
        try read(model)
        _ = model.layout
        _ = model.versionChecksum
        _ = model.copy()
        let written = ModelArchiveWriter.data(model, .compiled).data
        Self.mustRead { try ModelArchiveReader.read(written, into: NSManagedObjectModel()) }
    }

    private func readMetadata(_ data: Data) throws {
        var metadata = StoreMetadata(entities: [])
        metadata.set(try MetadataCoding.decode(data, url: nil))
        let model = try FuzzSeeds.model()
        _ = model.isConfiguration(
            withName: nil,
            compatibleWithStoreMetadata: metadata.clientValues
        )
        _ = NSManagedObjectModel(byMerging: [model], forStoreMetadata: metadata.clientValues)
        guard let list = PropertyListValue(metadata.values) else {
            fatalError("Metadata that was read can't be written")
        }
        _ = Self.mustRead {
            try MetadataCoding.decode(BinaryPropertyListWriter.data(list), url: nil)
        }
        try metadata.checkCompatible(with: model.layout.entities, url: nil)
    }

    /// Our own writers' output must be read, whatever it was made of.
    private static func mustRead<Value>(_ read: () throws -> Value) -> Value {
        do {
            return try read()
        } catch {
            fatalError("What was read and written can't be read again: \(error)")
        }
    }
}
