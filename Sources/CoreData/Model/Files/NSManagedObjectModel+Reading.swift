import Foundation

extension NSManagedObjectModel {
    /// Reads a model from a file: a `.momd` or `.xcdatamodeld` (its current version), a `.mom` or a
    /// `.xcdatamodel`. If there is no compiled model, its source counts.
    ///
    /// - Returns: nil if the file cannot be read; ``init(readingFrom:)`` says why.
    public convenience init?(contentsOf url: URL) {
        do {
            try self.init(readingFrom: url)
        } catch {
            // Apple's initializer has no other way to report a failure.
            return nil
        }
    }

    /// Reads a model from a file and says why if it cannot be read.
    ///
    /// Not in Apple's framework. A source and its compiled form come out equal. What a file says
    /// that has no meaning here is listed in ``unrecognizedParts``.
    ///
    /// - Parameter url: A `.momd` or `.xcdatamodeld` (its current version), a `.mom` or a
    ///   `.xcdatamodel`. It may have been made to do harm: nothing of it names a class of this
    ///   process, and size, depth and number of its parts are limited.
    /// - Throws: `CocoaError` that names the file, the line or entity, and what is wrong with it:
    ///   259 for a file that is damaged or no model, 260 for one that is not there, 257 for one
    ///   that may not be read.
    public convenience init(readingFrom url: URL) throws {
        self.init()
        let existing = ModelLookup.existing(url)
        try ModelFile.read(existing, into: self)
        // What was read, and not what was asked for: other versions and mapping models are looked
        // for beside it.
        fileURL = existing
    }

    /// The model in a file that may have nothing to do with the one that is looked for.
    ///
    /// - Returns: nil for a file that is not there, is damaged, or is no model.
    /// - Throws: What keeps the file from being read now: it may be the one.
    static func candidate(at url: URL) throws -> NSManagedObjectModel? {
        do {
            return try NSManagedObjectModel(readingFrom: url)
        } catch let error as CocoaError
            where [.fileReadCorruptFile, .fileReadNoSuchFile].contains(error.code)
        {
            return nil
        }
    }

    /// Reads all versions of a model.
    ///
    /// Not in Apple's framework.
    ///
    /// - Parameter url: A `.xcdatamodeld`, or a model that has one version.
    /// - Returns: The versions in the order of their names, numbers by their value: the order in
    ///   which Xcode names them.
    /// - Throws: `CocoaError` that names the file, the line or entity, and what is wrong with it.
    public class func versions(readingFrom url: URL) throws -> [NSManagedObjectModel] {
        try ModelFile.versionURLs(of: url)
            .sorted { one, other in
                let names = [one, other].map { $0.deletingPathExtension().lastPathComponent }
                return names[0].compare(names[1], options: .numeric) == .orderedAscending
            }
            .map { try NSManagedObjectModel(readingFrom: $0) }
    }
}
