import Foundation

/// Finds models by the names that they have on Apple's platforms.
///
/// Xcode compiles `Model.xcdatamodeld` to `Model.momd`, and puts it into the program's bundle.
/// Swift packages elsewhere copy the source, into a bundle beside the program.
enum ModelLookup {
    /// The source's extension for that of a compiled model.
    private static let sourceExtensions = ["momd": "xcdatamodeld", "mom": "xcdatamodel"]

    /// The URL, or where the source of the model stands if there is nothing compiled at it:
    /// `Model.momd/Model 2.mom` may be `Model.xcdatamodeld/Model 2.xcdatamodel`.
    static func existing(_ url: URL) -> URL {
        guard url.isFileURL, sourceExtensions[url.pathExtension] != nil, !exists(url) else {
            return url
        }
        let parent = source(url.deletingLastPathComponent())
        let candidates = [source(url), parent.appendingPathComponent(url.lastPathComponent)]
            .flatMap {
                [$0, source($0), parent.appendingPathComponent(source($0).lastPathComponent)]
            }
        return candidates.first(where: exists) ?? url
    }

    /// Where a bundle has the source of a model that is asked for in compiled form.
    ///
    /// - Parameter subdirectory: Where in the bundle; it may be the name of a compiled model, too.
    static func source(
        of name: String,
        withExtension ext: String,
        subdirectory: String? = nil,
        in bundle: Bundle
    ) -> URL? {
        if ext == MappingModelFile.compiledExtension {
            return mappingSource(of: name, subdirectory: subdirectory, in: bundle)
        }
        guard sourceExtensions[ext] != nil else { return nil }
        for bundle in [bundle] + packageBundles(beside: bundle) {
            var directory = resources(of: bundle)
            if let subdirectory { directory.appendPathComponent(subdirectory) }
            // A model without versions is a `.mom` when compiled, whatever its source was.
            for ext in ext == "mom" ? ["mom", "momd"] : ["momd", "mom"] {
                let url = existing(directory.appendingPathComponent("\(name).\(ext)"))
                if exists(url) { return url }
            }
        }
        return nil
    }

    /// Where a bundle has the sources of all models that are asked for in compiled form.
    ///
    /// - Parameter subdirectory: Where in the bundle; it may be the name of a compiled model, too.
    static func sources(
        withExtension ext: String,
        subdirectory: String?,
        in bundle: Bundle
    ) -> [URL] {
        if ext == MappingModelFile.compiledExtension {
            return mappingModels(subdirectory: subdirectory, in: bundle)
        }
        guard let sourceExtension = sourceExtensions[ext] else { return [] }
        for bundle in listed(bundle) {
            var directory = resources(of: bundle)
            if let subdirectory {
                directory = existing(directory.appendingPathComponent(subdirectory))
            }
            let names = FileReading.names(in: directory, endingIn: [ext, sourceExtension])
            if !names.isEmpty { return names.map { directory.appendingPathComponent($0) } }
        }
        return []
    }

    /// The bundles whose resources a listing of one has.
    ///
    /// The program's own bundle stands for that of an app, which has the resources of its targets.
    /// That of a class has what is in it: which target the class is of can't be told, and the
    /// models of all others are not its own.
    private static func listed(_ bundle: Bundle) -> [Bundle] {
        bundle === Bundle.main ? [bundle] + packageBundles(beside: bundle) : [bundle]
    }

    /// The mapping models among a bundle's resources by their compiled names, at which their sources
    /// are read as well.
    private static func mappingModels(subdirectory: String?, in bundle: Bundle) -> [URL] {
        listed(bundle).lazy
            .map { bundle in
                let folder = resources(of: bundle)
                let place = subdirectory.map { folder.appendingPathComponent($0) } ?? folder
                return MappingModelFile.urls(in: [place]).map {
                    $0.deletingPathExtension()
                        .appendingPathExtension(MappingModelFile.compiledExtension)
                }
            }
            .first { !$0.isEmpty } ?? []
    }

    private static func mappingSource(
        of name: String,
        subdirectory: String?,
        in bundle: Bundle
    ) -> URL? {
        resourceFolders(of: [bundle]).lazy
            .map { folder -> URL in
                let place = subdirectory.map { folder.appendingPathComponent($0) } ?? folder
                return MappingModelFile.existing(place.appendingPathComponent("\(name).cdm"))
            }
            .first { exists($0) }
    }

    /// The folders with the resources of some bundles.
    ///
    /// - Parameter bundles: Where to look; nil, or none, for the main bundle.
    static func resourceFolders(of bundles: [Bundle]?) -> [URL] {
        searched(bundles).flatMap { bundle in
            ([bundle] + packageBundles(beside: bundle)).map { resources(of: $0) }
        }
    }

    /// The models among the resources of some bundles.
    ///
    /// - Parameter bundles: Where to look; nil, or none, for the main bundle.
    static func modelURLs(in bundles: [Bundle]?) -> [URL] {
        searched(bundles).flatMap { bundle in
            let own = ModelFile.modelURLs(in: resources(of: bundle))
            guard own.isEmpty else { return own }
            return packageBundles(beside: bundle).flatMap {
                ModelFile.modelURLs(in: resources(of: $0))
            }
        }
    }

    private static func searched(_ bundles: [Bundle]?) -> [Bundle] {
        // `Bundle.allBundles`, which Apple's framework takes then, is empty on Linux.
        guard let bundles, !bundles.isEmpty else { return [Bundle.main] }
        return bundles
    }

    private static func resources(of bundle: Bundle) -> URL {
        bundle.resourceURL ?? bundle.bundleURL
    }

    /// The resource bundles of Swift packages in the program's directory, for the main bundle and
    /// for those of its classes, which are the same here.
    private static func packageBundles(beside bundle: Bundle) -> [Bundle] {
        guard bundle.bundleURL.standardizedFileURL == Bundle.main.bundleURL.standardizedFileURL
        else { return [] }
        let directory = bundle.bundleURL
        return FileReading.names(in: directory, endingIn: ["resources", "bundle"])
            .compactMap { Bundle(url: directory.appendingPathComponent($0, isDirectory: true)) }
    }

    private static func source(_ url: URL) -> URL {
        guard let ext = sourceExtensions[url.pathExtension] else { return url }
        return url.deletingPathExtension().appendingPathExtension(ext)
    }

    private static func exists(_ url: URL) -> Bool {
        FileManager.default.fileExists(atPath: url.path)
    }
}
