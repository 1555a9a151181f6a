import CoreData

/// How files have the values of attributes of one type.
struct AttributeForm: Sendable {
    typealias Failure = AttributeCoercion.Failure

    /// The value of a record as the attribute takes it; not for `null`.
    let read: @Sendable (ImportValue, DateParser) throws(Failure) -> any Hashable
    /// The attribute's value as a file has it, so that an import makes the same value of it; nil for
    /// one that files have no form for.
    let write: @Sendable (Any, DateParser) -> FieldValue?

    /// The table of types: attributes of others are left out of imports and exports.
    static let all: [NSAttributeType: AttributeForm] = [
        .integer16AttributeType: integer(Int16.self),
        .integer32AttributeType: integer(Int32.self),
        .integer64AttributeType: integer(Int64.self),
        .decimalAttributeType: decimal,
        .doubleAttributeType: double,
        .floatAttributeType: float,
        .stringAttributeType: string,
        .booleanAttributeType: boolean,
        .dateAttributeType: date,
        .binaryDataAttributeType: text(
            "base64 text",
            read: { Data(base64Encoded: $0) },
            write: { $0.base64EncodedString() }
        ),
        .UUIDAttributeType: text(
            "a UUID",
            read: { UUID(uuidString: $0) },
            write: { $0.uuidString }
        ),
        .URIAttributeType: text(
            "a URL",
            read: { URL(string: $0) },
            write: { $0.absoluteString }
        ),
    ]

    /// A type whose values are texts in files.
    ///
    /// - Parameter expected: What a message says that a text should have been.
    private static func text<Value: Hashable & Sendable>(
        _ expected: String,
        read: @escaping @Sendable (String) -> Value?,
        write: @escaping @Sendable (Value) -> String
    ) -> AttributeForm {
        AttributeForm(
            read: { (value, _) throws(Failure) in try value.parsed(expected, read) },
            write: { value, _ in (value as? Value).map { .text(write($0)) } }
        )
    }
}

extension AttributeForm {
    private static func integer<Number: FixedWidthInteger & Sendable>(_: Number.Type)
        -> AttributeForm
    {
        AttributeForm(
            read: { (value, _) throws(Failure) in try value.integer(as: Number.self) },
            write: { value, _ in (value as? NSNumber).map { .literal("\($0.int64Value)") } }
        )
    }

    private static let decimal = AttributeForm(
        read: { (value, _) throws(Failure) in try value.decimal() },
        write: { value, _ in
            guard let number = (value as? NSDecimalNumber)?.decimalValue else { return nil }
            // A value that stores keep, unlike that of a double; JSON has no number for it.
            return number.isNaN ? .text("NaN") : .literal("\(number)")
        }
    )

    private static let double = AttributeForm(
        read: { (value, _) throws(Failure) in try value.real() },
        write: { value, _ in
            guard let number = (value as? NSNumber)?.doubleValue, number.isFinite else {
                return nil
            }
            return .literal("\(number)")
        }
    )

    private static let float = AttributeForm(
        read: { (value, _) throws(Failure) in NSNumber(value: Float(try value.real())) },
        write: { value, _ in
            guard let number = (value as? NSNumber)?.floatValue, number.isFinite else {
                return nil
            }
            return .literal("\(number)")
        }
    )

    private static let string = AttributeForm(
        read: { (value, _) throws(Failure) in try value.string() },
        write: { value, _ in (value as? String).map { .text($0) } }
    )

    private static let boolean = AttributeForm(
        read: { (value, _) throws(Failure) in try value.boolean() },
        write: { value, _ in
            (value as? NSNumber).map { .literal($0.boolValue ? "true" : "false") }
        }
    )

    private static let date = AttributeForm(
        read: { (value, dates) throws(Failure) in try value.date(dates) },
        write: { value, dates in (value as? Date).map { dates.exported($0) } }
    )
}
