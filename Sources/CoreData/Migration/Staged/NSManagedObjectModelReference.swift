import Foundation

/// A version of a model that a staged migration goes through, found when it is needed.
///
/// > Threading: Immutable; any thread.
open class NSManagedObjectModelReference: NSObject, @unchecked Sendable {
    // @unchecked: all is set in `init`; a model that was found is kept behind its lock.

    private enum Source {
        case model(NSManagedObjectModel)
        case file(URL)
        case hashes([String: Data], Bundle?)
        case name(String, Bundle?)
    }
    private let source: Source
    private let resolved = Locked<NSManagedObjectModel?>(nil)

    /// The checksum of the version, as `NSManagedObjectModel.versionChecksum` gives it.
    open private(set) var versionChecksum: String

    /// Refers to a model that is there.
    public init(model: NSManagedObjectModel, versionChecksum: String) {
        source = .model(model)
        self.versionChecksum = versionChecksum
    }

    /// Refers to a model file.
    public init(fileURL: URL, versionChecksum: String) {
        source = .file(fileURL)
        self.versionChecksum = versionChecksum
    }

    /// Refers to the model in a bundle (nil for the main one) whose entities have these version
    /// hashes.
    public init(
        entityVersionHashes versionHash: [AnyHashable: Any],
        in bundle: Bundle?,
        versionChecksum: String
    ) {
        var hashes: [String: Data] = [:]
        for (name, hash) in versionHash {
            if let name = name as? String, let hash = hash as? Data { hashes[name] = hash }
        }
        source = .hashes(hashes, bundle)
        self.versionChecksum = versionChecksum
    }

    /// Refers to a model of that name in a bundle (nil for the main one), or to a version of one.
    public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
        source = .name(modelName, bundle)
        self.versionChecksum = versionChecksum
    }

    /// The model.
    ///
    /// - Precondition: It is there, and of that version.
    open var resolvedModel: NSManagedObjectModel {
        do {
            return try model()
        } catch {
            fatalError(error.localizedDescription)
        }
    }

    /// - Throws: 134504 if there is no such model.
    func model() throws -> NSManagedObjectModel {
        if let known = resolved.withLock({ $0 }) { return known }
        // Outside the lock, for files are read. Two threads may both find the model: all get the
        // first.
        guard let model = candidates().first(where: { $0.versionChecksum == versionChecksum })
        else { throw CocoaError.modelReferenceNotFound(versionChecksum) }
        return resolved.withLock { resolved in
            let first = resolved ?? model
            resolved = first
            return first
        }
    }

    private func candidates() -> [NSManagedObjectModel] {
        switch source {
        case .model(let model): return [model]
        case .file(let url): return NSManagedObjectModel(contentsOf: url).map { [$0] } ?? []
        case .hashes(let hashes, let bundle):
            return NSManagedObjectModel.versions(in: [bundle ?? .main])
                .filter { $0.entityVersionHashesByName == hashes }
        case .name(let name, let bundle):
            return NSManagedObjectModel.versions(in: [bundle ?? .main]).filter { model in
                guard let file = model.fileURL else { return false }
                return [file, file.deletingLastPathComponent()].contains {
                    $0.deletingPathExtension().lastPathComponent == name
                }
            }
        }
    }
}
