import Foundation

extension NSManagedObjectModel {
    /// Reads a model from a file: a `.xcdatamodeld` (its current version) or a `.xcdatamodel`.
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
    /// Not in Apple's framework.
    ///
    /// - Parameter url: A `.xcdatamodeld` (its current version) or a `.xcdatamodel`.
    /// - Throws: `CocoaError` that names the file, the line or entity, and what is wrong with it.
    public convenience init(readingFrom url: URL) throws {
        let contents = try ModelFile.contentsURL(of: url)
        let root = try ModelFile.readMarkup(contents)
        self.init()
        try ModelFileReader(url: contents).read(root, into: self)
    }
}
