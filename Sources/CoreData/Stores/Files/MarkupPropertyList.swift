import Foundation

/// Writes property lists as elements of an XML document: those of `PropertyList-1.0.dtd`, without
/// `<plist>` around them. Dates have whole seconds, as there.
enum MarkupPropertyList {
    /// - Throws: 134030 for a text with characters that XML can't hold.
    static func write(
        _ value: PropertyListValue,
        to writer: inout MarkupWriter,
        url: URL?
    ) throws {
        switch value {
        case .boolean(let boolean): writer.empty(boolean ? "true" : "false")
        case .integer(let integer): writer.element("integer", "\(integer)")
        case .unsigned(let integer): writer.element("integer", "\(integer)")
        case .reference(let place): writer.element("integer", "\(place)")
        case .real(let real): writer.element("real", "\(real)")
        case .data(let data): writer.element("data", data.base64EncodedString())
        case .date(let seconds):
            let date = Date(timeIntervalSinceReferenceDate: seconds)
            writer.element("date", date.formatted(.iso8601))
        case .string(let text): try write(text, as: "string", to: &writer, url: url)
        case .array(let elements):
            writer.open("array")
            for element in elements { try write(element, to: &writer, url: url) }
            writer.close("array")
        case .dictionary(let entries):
            writer.open("dict")
            // Sorted, so that the same metadata give the same bytes.
            for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
                try write(key, as: "key", to: &writer, url: url)
                try write(value, to: &writer, url: url)
            }
            writer.close("dict")
        }
    }

    private static func write(
        _ text: String,
        as element: String,
        to writer: inout MarkupWriter,
        url: URL?
    ) throws {
        guard MarkupWriter.canHold(text) else {
            throw CocoaError.storeSave(
                url,
                "a text in the metadata has characters that XML can't hold; put it in as data"
            )
        }
        writer.element(element, text)
    }
}
