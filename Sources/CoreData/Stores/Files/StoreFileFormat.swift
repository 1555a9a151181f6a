import Foundation

/// How the content of a store stands in a file.
protocol StoreFileFormat: Sendable {
    /// The type of the stores that use it.
    static var storeType: String { get }
    /// The file's bytes.
    ///
    /// - Throws: 134030 if the metadata hold something that is no property list, or if the file
    ///   would be larger than is read.
    static func encode(_ image: StoreImage, url: URL?) throws -> [UInt8]
    /// The content of a file, which may be damaged or made to do harm.
    ///
    /// - Throws: 259 with a sentence about what is wrong.
    static func decode(_ bytes: [UInt8], url: URL?) throws -> StoreImage
    /// The metadata in a file.
    static func metadata(in bytes: [UInt8], url: URL?) throws -> [String: Any]
}
