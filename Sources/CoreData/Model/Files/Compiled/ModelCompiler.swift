import Foundation

extension NSManagedObjectModel {
    /// Compiles a model's source, as Xcode's `momc` does.
    ///
    /// Not in Apple's framework. A destination that is there is replaced as a whole, once
    /// everything else has worked. The same source gives the same bytes.
    ///
    /// - Parameters:
    ///   - source: A `.xcdatamodeld` or `.xcdatamodel`.
    ///   - destination: A `.momd`, which gets all versions and their hashes, or a `.mom`, which
    ///     gets the current version.
    ///   - module: The module of classes whose name begins with a dot in the source; nil for none.
    /// - Returns: What has no form in a compiled model, or was not known in the source, a sentence
    ///   each; empty if all is there.
    /// - Throws: What reading the source throws, 3328 for a destination of another kind, and what
    ///   writing throws.
    public class func compile(
        _ source: URL,
        to destination: URL,
        module: String? = nil
    ) throws -> [String] {
        var compiler = ModelCompiler(module: module)
        switch destination.pathExtension {
        case "mom": try compiler.compileCurrentVersion(of: source, to: destination)
        case "momd": try compiler.compileVersions(of: source, to: destination)
        default:
            throw CocoaError.compiledModelName(destination)
        }
        return compiler.notes
    }
}

/// Writes `.mom` files and `.momd` directories.
struct ModelCompiler {
    let module: String?
    private(set) var notes: [String] = []

    init(module: String?) { self.module = module }

    mutating func compileCurrentVersion(of source: URL, to destination: URL) throws {
        let (data, _) = try compiled(source)
        try write(data, to: destination)
    }

    /// Makes the directory beside its place, so that a failure leaves what is there.
    mutating func compileVersions(of source: URL, to destination: URL) throws {
        let manager = FileManager.default
        // Beside the destination, so that the move at the end is within one file system.
        let folder = destination.deletingLastPathComponent()
            .appendingPathComponent(".\(UUID().uuidString).momd", isDirectory: true)
        try manager.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // It was moved to its place if all went well.
            if manager.fileExists(atPath: folder.path) {
                do { try manager.removeItem(at: folder) } catch { notes.append("\(error)") }
            }
        }
        var hashes: [String: PropertyListValue] = [:]
        var checksums: [String: PropertyListValue] = [:]
        for version in ModelFile.versionURLs(of: source) {
            let name = version.deletingPathExtension().lastPathComponent
            let (data, model) = try compiled(version)
            try write(data, to: folder.appendingPathComponent("\(name).mom"))
            hashes[name] = .dictionary(
                model.entityVersionHashesByName.mapValues { .data($0) }
            )
            checksums[name] = .string(model.versionChecksum)
        }
        let current =
            source.pathExtension == "xcdatamodeld"
            ? try ModelSourceFile.currentVersionURL(of: source) : source
        let information = PropertyListValue.dictionary([
            CompiledVersions.currentVersionKey: .string(
                current.deletingPathExtension().lastPathComponent
            ),
            CompiledVersions.hashesKey: .dictionary(hashes),
            CompiledVersions.checksumsKey: .dictionary(checksums),
        ])
        try write(
            BinaryPropertyListWriter.data(information),
            to: folder.appendingPathComponent(CompiledVersions.fileName)
        )
        // Only when all versions are compiled: a failure leaves the former model as it is.
        if manager.fileExists(atPath: destination.path) {
            try manager.removeItem(at: destination)
        }
        try manager.moveItem(at: folder, to: destination)
    }

    private mutating func compiled(_ source: URL) throws -> (Data, NSManagedObjectModel) {
        let model = try NSManagedObjectModel(readingFrom: source)
        for entity in model.entities {
            guard let name = entity.givenClassName, name.hasPrefix(".") else { continue }
            // A leading dot stands for the module that the model is compiled into.
            entity.givenClassName = module.map { $0 + name } ?? String(name.dropFirst())
        }
        let (data, omissions) = ModelArchiveWriter.data(model, .compiled)
        notes += (model.unrecognizedParts + omissions).map {
            "\(source.lastPathComponent): \($0)"
        }
        return (data, model)
    }

    private func write(_ data: Data, to url: URL) throws {
        do {
            try data.write(to: url, options: .atomic)
        } catch {
            throw CocoaError.fileNotWritable(url, underlying: error)
        }
    }
}
