import Foundation
import Markup

// Defaults and bounds, whose text means something else for each type.
extension ModelPropertyReader {
    /// The default value of an attribute in the class that key-value access gives; nil if none.
    func defaultValue(of element: MarkupElement, _ type: NSAttributeType) throws -> Any? {
        let kind = AttributeKinds.kind(of: type)
        guard let text = element[kind.defaultValueName] else { return nil }
        switch kind.defaultValue(text) {
        case nil: return nil
        case .value(let value): return value
        case .malformed:
            // Xcode compiles such models, and programs that have one are in use. What becomes of
            // the value there is not known.
            leaveOut(text, of: element, for: "is none of its type", "write one that is")
        case .outOfRange(let number):
            leaveOut(
                "\(number)",
                of: element,
                for: "is out of the range of its type",
                "choose a larger type"
            )
        }
        return nil
    }

    private func leaveOut(
        _ value: String,
        of element: MarkupElement,
        for reason: String,
        _ remedy: String
    ) {
        unrecognized.note(
            "the default value \(value) of \(entityName).\(element["name"] ?? "") \(reason) and left "
                + "out; \(remedy)",
            at: "Line \(element.line)"
        )
    }

    /// The limits that an attribute's values have.
    func bounds(of element: MarkupElement, _ type: NSAttributeType) throws -> AttributeBounds {
        var bounds = AttributeBounds()
        switch AttributeKinds.kind(of: type).bounds {
        case .integers, .reals, .floats, .decimals:
            bounds.minimum = try number("minValueString", of: element)
            bounds.maximum = try number("maxValueString", of: element)
        case .dates:
            bounds.earliest = try seconds("minDateTimeInterval", of: element)
            bounds.latest = try seconds("maxDateTimeInterval", of: element)
        case .texts:
            bounds.minimumLength = try length("minValueString", of: element)
            bounds.maximumLength = try length("maxValueString", of: element)
            bounds.pattern = try pattern(of: element)
        case .none: break
        }
        return bounds
    }

    private func number(_ attribute: String, of element: MarkupElement) throws -> Decimal? {
        try element[attribute].map { text in
            guard let number = DecimalKind.decimal(text) else {
                throw problem(element, "has a \(attribute) that is not a number")
            }
            return number
        }
    }

    private func seconds(_ attribute: String, of element: MarkupElement) throws -> Double? {
        try element[attribute].map { text in
            // `Double` also takes the texts `nan` and `inf`.
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
