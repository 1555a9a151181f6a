import Foundation

@testable import CoreData

/// Two folders of a model's versions, compiled and as sources, in memory where that can be: what says
/// which version is the current one is what is fuzzed.
struct VersionFolders: Sendable {
    static let shared = Result { try VersionFolders() }

    private let folder: URL
    private let compiled: URL
    private let sources: URL

    private init() throws {
        let memory = URL(fileURLWithPath: "/dev/shm")
        let isShared = FileManager.default.isWritableFile(atPath: memory.path)
        folder = (isShared ? memory : FileManager.default.temporaryDirectory)
            .appendingPathComponent("FileFuzz-\(getpid())")
        compiled = folder.appendingPathComponent("Parts.momd")
        sources = folder.appendingPathComponent("Parts.xcdatamodeld")
        atexit {
            guard case .success(let folders) = VersionFolders.shared else { return }
            // What is left is in memory, and goes with the machine.
            try? FileManager.default.removeItem(at: folders.folder)
        }
        let archive = ModelArchiveWriter.data(try FuzzSeeds.model(), .compiled).data
        try FileManager.default.createDirectory(at: compiled, withIntermediateDirectories: true)
        for name in ["Parts", "Parts 2"] {
            try archive.write(to: compiled.appendingPathComponent("\(name).mom"))
            let source = sources.appendingPathComponent("\(name).xcdatamodel")
            try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
            try FuzzSeeds.source().write(to: source.appendingPathComponent("contents"))
        }
    }

    func read(_ data: Data) throws {
        try data.write(to: compiled.appendingPathComponent("VersionInfo.plist"))
        try data.write(to: sources.appendingPathComponent(".xccurrentversion"))
        let models = [compiled, sources].map { url in
            Result { try NSManagedObjectModel(readingFrom: url) }
        }
        // What says one of them the current version is mostly no word of it to the other.
        let read = models.compactMap { try? $0.get() }
        for model in read { _ = model.versionChecksum }
        if read.isEmpty { _ = try models[0].get() }
    }
}
