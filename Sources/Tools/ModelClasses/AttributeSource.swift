import Markup

/// An attribute's property: its name, and its type as Xcode writes it.
struct AttributeSource: Sendable {
    let name: String
    /// The Swift type. Numbers and Booleans that use scalars are not optional, all else is, also
    /// where the model says that a value is required: a new object has none yet.
    let type: String

    init(_ element: MarkupElement, name: String) {
        self.name = name
        let isScalar = element["usesScalarValueType"] == "YES"
        let kind = element["attributeType"] ?? "Undefined"
        if isScalar, let scalar = Self.scalars[kind] {
            type = scalar
        } else if kind == "Transformable" {
            type = Self.className(element["customClassName"]) + "?"
        } else {
            type = (Self.objects[kind] ?? Self.ownName(kind)) + "?"
        }
    }

    private static func className(_ written: String?) -> String {
        // A leading dot stands for the module of the model, which is the one that is compiled.
        guard let written, !written.isEmpty else { return "NSObject" }
        return written.hasPrefix(".") ? String(written.dropFirst()) : written
    }

    private static let scalars = [
        "Integer 16": "Int16", "Integer 32": "Int32", "Integer 64": "Int64", "Double": "Double",
        "Float": "Float", "Boolean": "Bool", "Date": "TimeInterval",
    ]

    /// Types that a model calls as Swift does need no entry below.
    private static func ownName(_ kind: String) -> String {
        kind.allSatisfy { $0.isLetter || $0.isNumber } ? kind : "NSObject"
    }

    private static let objects = [
        "Integer 16": "NSNumber", "Integer 32": "NSNumber", "Integer 64": "NSNumber",
        "Double": "NSNumber", "Float": "NSNumber", "Boolean": "NSNumber",
        "Decimal": "NSDecimalNumber", "Binary": "Data", "URI": "URL",
        "Composite": "[String: Any]", "ObjectID": "NSObject", "Undefined": "NSObject",
    ]
}
