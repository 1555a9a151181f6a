import Foundation
import Markup

// Defaults and bounds, whose text means something else for each type.
extension ModelPropertyReader {
    /// The default value of an attribute in the class that key-value access gives; nil if none.
    func defaultValue(of element: MarkupElement, _ type: NSAttributeType) throws -> Any? {
        if type == .dateAttributeType {
            return try seconds("defaultDateTimeInterval", of: element)
                .map { Date(timeIntervalSinceReferenceDate: $0) }
        }
        guard let text = element["defaultValueString"] else { return nil }
        var value: Any?
        switch type {
        case .integer16AttributeType, .integer32AttributeType:
            guard let number = integer(text) else { break }
            let isShort = type == .integer16AttributeType
            guard isShort ? Int16(exactly: number) != nil : Int32(exactly: number) != nil else {
                unrecognized.note(
                    "the default value \(number) of \(entityName).\(element["name"] ?? "") is out "
                        + "of the range of its type and left out; choose a larger type",
                    at: "Line \(element.line)"
                )
                return nil
            }
            value = isShort ? NSNumber(value: Int16(number)) : NSNumber(value: Int32(number))
        case .integer64AttributeType: value = integer(text).map { NSNumber(value: $0) }
        case .doubleAttributeType: value = Double(text).map { NSNumber(value: $0) }
        case .floatAttributeType: value = Float(text).map { NSNumber(value: $0) }
        case .decimalAttributeType: value = Self.decimal(text).map { NSDecimalNumber(decimal: $0) }
        case .booleanAttributeType:
            value = Self.booleans[text.uppercased()].map { NSNumber(value: $0) }
        case .stringAttributeType: value = text
        case .UUIDAttributeType: value = UUID(uuidString: text)
        case .URIAttributeType: value = URL(string: text)
        default: return nil
        }
        guard let value else { throw problem(element, "has a default value of another type") }
        return value
    }

    /// The limits that an attribute's values have.
    func bounds(of element: MarkupElement, _ type: NSAttributeType) throws -> AttributeBounds {
        var bounds = AttributeBounds()
        switch type {
        case .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
            .doubleAttributeType, .floatAttributeType, .decimalAttributeType:
            bounds.minimum = try number("minValueString", of: element)
            bounds.maximum = try number("maxValueString", of: element)
        case .dateAttributeType:
            bounds.earliest = try seconds("minDateTimeInterval", of: element)
            bounds.latest = try seconds("maxDateTimeInterval", of: element)
        case .stringAttributeType:
            bounds.minimumLength = try length("minValueString", of: element)
            bounds.maximumLength = try length("maxValueString", of: element)
            bounds.pattern = try pattern(of: element)
        default:
            break
        }
        return bounds
    }

    private static let booleans = [
        "YES": true, "TRUE": true, "1": true, "NO": false, "FALSE": false, "0": false,
    ]

    private func integer(_ text: String) -> Int64? {
        // Xcode leaves "0.0" or "YES" where an attribute was of another type once. Its compiler
        // makes 0 of words, also of "YES", as a store's model shows.
        Int64(text) ?? Double(text).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
            ?? Self.booleans[text.uppercased()].map { _ in 0 }
    }

    /// Strict where `Decimal(string:)` would take the digits at the beginning and be content.
    private static func decimal(_ text: String) -> Decimal? {
        guard Double(text)?.isFinite == true else { return nil }
        return Decimal(string: text, locale: Locale(identifier: "en_US_POSIX"))
    }

    private func number(_ attribute: String, of element: MarkupElement) throws -> Decimal? {
        try element[attribute].map { text in
            guard let number = Self.decimal(text) else {
                throw problem(element, "has a \(attribute) that is not a number")
            }
            return number
        }
    }

    private func seconds(_ attribute: String, of element: MarkupElement) throws -> Double? {
        try element[attribute].map { text in
            guard let seconds = Double(text), seconds.isFinite else {
                throw problem(element, "has a \(attribute) that is not a number of seconds")
            }
            return seconds
        }
    }

    private func length(_ attribute: String, of element: MarkupElement) throws -> Int? {
        try element[attribute].map { text in
            guard let length = Int(text), length >= 0 else {
                throw problem(element, "has a \(attribute) that is no length")
            }
            return length
        }
    }

    private func pattern(of element: MarkupElement) throws -> AttributeBounds.Pattern? {
        guard let source = element["regularExpressionString"], !source.isEmpty else { return nil }
        do {
            return try AttributeBounds.Pattern(source)
        } catch {
            throw problem(element, "has a regular expression that is not valid")
        }
    }
}
