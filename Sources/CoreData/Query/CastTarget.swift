import Foundation

/// The types that `CAST` knows.
enum CastTarget: Sendable {
    case date, number, decimal, string, url
    /// Ours: text in Base64, so that a predicate with data can be written.
    case data
    /// A kind that compares with its own values only, such as a UUID.
    case scalar(StorageKind)

    private static let byName: [String: CastTarget] = [
        "NSDate": .date, "NSNumber": .number, "NSDecimalNumber": .decimal, "NSString": .string,
        "NSURL": .url, "NSData": .data,
    ]

    /// The target that a cast names; nil if there is none.
    init?(name: String) {
        if let target = Self.byName[name] {
            self = target
        } else if let kind = AttributeKinds.scalar(className: name) {
            self = .scalar(kind.storage)
        } else {
            return nil
        }
    }

    /// What the printer writes for numbers that are not finite.
    private static let endless: [String: Double] = ["inf": .infinity, "-inf": -.infinity]

    /// The names for a message.
    static var list: String {
        (byName.keys.sorted() + AttributeKinds.scalarClassNames).map { "\"\($0)\"" }
            .joined(separator: ", ")
    }
}

extension CastTarget {
    /// The constant that a printed predicate has as a cast; nil for a cast that has to be made when
    /// the predicate is evaluated.
    ///
    /// It goes by the value of the operand and not by its class: `NO` is printed as `0`, and the
    /// casts of both have to be the same.
    func literal(_ operand: Any?) -> Any? {
        switch (self, QueryValue(operand)) {
        case (.date, .real(let seconds)): Date(timeIntervalSinceReferenceDate: seconds)
        case (.date, .integer(let seconds)): Date(timeIntervalSinceReferenceDate: Double(seconds))
        case (.date, .text(let text)):
            Self.endless[text].map { Date(timeIntervalSinceReferenceDate: $0) }
        // `Decimal(string:)` is content with a number at the beginning of a text.
        case (.decimal, .text(let text)):
            QueryComparison.number(text) == nil
                ? nil : Decimal(string: text).map { NSDecimalNumber(decimal: $0) }
        case (.number, .text(let text)): Self.endless[text]
        case (.scalar(let kind), .text(let text)): AttributeKinds.kind(of: kind)?.value(text)
        case (.url, .text(let text)): URL(string: text)
        case (.data, .text(let text)): Data(base64Encoded: text)
        default: nil
        }
    }
}
