import Foundation

/// Locations: the absolute string.
enum URIKind: AttributeKind {
    static var type: NSAttributeType { .URIAttributeType }
    static var sourceName: String { "URI" }
    static var valueClass: AnyClass? { NSURL.self }
    static var storage: StorageKind { StorageKind(rawValue: 8, form: .text) }
    static var column: AttributeColumn { AttributeColumn(declaredType: "VARCHAR", group: 4) }
    static var markupName: String? { "uri" }
    static var comparison: ComparisonForm { .texts }
    static var placeholder: Any? { URL(fileURLWithPath: "/") }

    static func slotValue(_ value: Any) -> SlotValue? {
        URL(bridging: value).map { .text($0.absoluteString) }
    }

    static func anyValue(_ value: SlotValue) -> Any? {
        guard case .text(let text) = value else { return plainValue(value) }
        return URL(string: text)
    }

    static func queryValue(_ value: SlotValue) -> QueryValue {
        guard case .text(let text) = value else { return .null }
        // SQL sees the text, whether it makes a URL or not.
        return URL(string: text).map { .url($0) } ?? .text(text)
    }

    static func value(_ text: String) -> Any? { URL(string: text) }
}

extension URL {
    /// The location that a value is: a `URL`, or an `NSURL` with a text.
    ///
    /// One without a text is no `URL`. A cast does not ask where code is optimized, and makes
    /// something that stops the program when it is used.
    init?(bridging value: Any) {
        if let url = value as? NSURL, url.relativeString.isEmpty, url.baseURL == nil { return nil }
        guard let url = value as? URL else { return nil }
        self = url
    }
}

extension NSAttributeType.Name {
    /// A URI.
    public static let uri = Self(rawValue: .URIAttributeType)
}

extension URL: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encodedDescription() }
}
