import Foundation
import Markup

/// The metadata of a store as a property list.
enum MetadataCoding {
    /// - Throws: 134030 if the client put something in that is no property list.
    static func value(of metadata: [String: Any], url: URL?) throws -> PropertyListValue {
        guard let value = PropertyListValue(metadata) else {
            throw CocoaError.storeSave(
                url,
                "the metadata holds something that is no property list; keep to strings, numbers, "
                    + "dates, data, arrays and dictionaries"
            )
        }
        return value
    }

    /// The metadata in binary form.
    ///
    /// - Throws: 134030 if the client put something in that is no property list.
    static func encode(_ metadata: [String: Any], url: URL?) throws -> Data {
        BinaryPropertyListWriter.data(try value(of: metadata, url: url))
    }

    /// - Throws: 259 for bytes that are no property list, or none of a dictionary.
    static func decode(_ data: Data, url: URL?) throws -> [String: Any] {
        try decode(url: url) { () throws(ArchiveError) in try PropertyList.read(data) }
    }

    /// The metadata that an element of an XML document holds.
    ///
    /// - Throws: 259 for an element that is no dictionary of a property list.
    static func decode(_ element: MarkupElement, url: URL?) throws -> [String: Any] {
        try decode(url: url) { () throws(ArchiveError) in try XMLPropertyListReader.value(element) }
    }

    private static func decode(
        url: URL?,
        _ read: () throws(ArchiveError) -> PropertyListValue
    ) throws -> [String: Any] {
        do throws(ArchiveError) {
            guard case .dictionary(let values) = try read() else {
                throw ArchiveError(reason: "it is not a dictionary")
            }
            return values.mapValues(\.anyValue)
        } catch {
            throw CocoaError.corruptFile(
                url,
                "the store's metadata is damaged: \(error.reason)",
                underlying: error
            )
        }
    }
}
