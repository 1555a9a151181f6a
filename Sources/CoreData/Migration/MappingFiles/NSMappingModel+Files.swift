import Foundation

extension NSMappingModel {
    /// Reads a mapping model.
    ///
    /// - Parameter url: A `.cdm`, or a `.xcmappingmodel`; if there is no compiled one, its source
    ///   counts.
    /// - Returns: nil if the file can't be read; ``init(readingFrom:)`` says why.
    public convenience init?(contentsOf url: URL?) {
        guard let url else { return nil }
        do {
            try self.init(readingFrom: url)
        } catch {
            // Apple's initializer has no other way to report a failure.
            return nil
        }
    }

    /// Reads a mapping model and says why if it can't be read. Not in Apple's framework.
    ///
    /// - Parameter url: A `.cdm`, or a `.xcmappingmodel`; if there is no compiled one, its source
    ///   counts. It may have been made to do harm.
    /// - Throws: `CocoaError` 259 that says what is wrong with it; a file error.
    public convenience init(readingFrom url: URL) throws {
        let mappings = try MappingModelFile.entityMappings(in: url)
        self.init()
        entityMappings = mappings
    }

    /// Finds the mapping model between two models among the resources of some bundles: the one
    /// whose version hashes are those of the models' entities.
    ///
    /// - Parameter bundles: Where to look; nil for the main bundle.
    /// - Returns: nil if there is none.
    public convenience init?(
        from bundles: [Bundle]?,
        forSourceModel sourceModel: NSManagedObjectModel?,
        destinationModel: NSManagedObjectModel?
    ) {
        guard let sourceModel, let destinationModel else { return nil }
        do {
            let mappings = try MappingModelFile.entityMappings(
                in: ModelLookup.resourceFolders(of: bundles),
                from: sourceModel.entityVersionHashesByName,
                to: destinationModel.entityVersionHashesByName
            )
            guard let mappings else { return nil }
            self.init()
            entityMappings = mappings
        } catch {
            // Apple's initializer has no other way to report a failure.
            return nil
        }
    }

    /// Compiles the source of a mapping model, as Xcode's `mapc` does.
    ///
    /// Not in Apple's framework. A destination that is there is replaced. The same source gives the
    /// same bytes.
    ///
    /// - Parameters:
    ///   - source: A `.xcmappingmodel`.
    ///   - destination: A `.cdm`.
    /// - Throws: What reading the source throws, 259 for what has no compiled form, 3328 for a
    ///   destination of another kind, and what writing throws.
    public class func compile(_ source: URL, to destination: URL) throws {
        guard destination.pathExtension == MappingModelFile.compiledExtension else {
            throw CocoaError.compiledMappingModelName(destination)
        }
        let mappings = try MappingSourceReader(source).entityMappings()
        let data: Data
        do throws(UnwritableQuery) {
            data = try MappingModelWriter.data(mappings)
        } catch {
            throw CocoaError.modelFile(source, "it has \(error.what), which can't be compiled")
        }
        do {
            // In one step, so that a reader never meets half a file.
            try data.write(to: destination, options: .atomic)
        } catch {
            throw CocoaError.fileNotWritable(destination, underlying: error)
        }
    }
}
