import Foundation

/// How predicates and expressions are archived: as a format string, and the constants in it.
///
/// The parser reads archives back, so what it guards against is guarded against here: deep
/// nesting, unknown functions.
enum QueryArchive {
    private static let formatKey = "NSPredicateFormat"
    private static let argumentsKey = "NSPredicateArguments"
    /// What constants may be; anything else in an archive is refused.
    private static let constantClasses: [AnyClass] = [
        NSArray.self, NSString.self, NSNumber.self, NSDate.self, NSData.self, NSNull.self,
    ]

    static func write(_ format: String, _ printer: PredicatePrinter, to coder: NSCoder) {
        // A block has no form outside of the process; left out, it would come back as another
        // predicate.
        if let part = printer.unwritten {
            fatalError("Can't encode \(part): \(format)")
        }
        // An expression can be the variable of that name.
        let isNil = KeyedArchive.null.string == format
        coder.encode((isNil ? "(\(format))" : format) as NSString, forKey: formatKey)
        coder.encode(NSArray(array: printer.arguments), forKey: argumentsKey)
    }

    /// A constant as a class that archives know; nil for what the format string itself says
    /// better, and for objects.
    static func archivable(_ value: QueryValue) -> Any? {
        switch value {
        case .null: return NSNull()
        case .integer(let integer): return NSNumber(value: integer)
        case .real(let real): return NSNumber(value: real)
        // Foundation's archiver writes this text as it writes nil.
        case .text(let text) where KeyedArchive.null.string == text: return nil
        case .text(let text): return text as NSString
        case .date(let seconds): return NSDate(timeIntervalSinceReferenceDate: seconds)
        case .bytes(let data): return data as NSData
        case .collection(let values):
            // As a whole or not at all: a list with a part that can't be archived is written out in
            // the format string.
            let parts = values.compactMap(archivable)
            return parts.count == values.count ? NSArray(array: parts) : nil
        // Foundation can't archive decimal numbers on this platform.
        case .decimal, .url, .scalar, .object, .other: return nil
        }
    }

    /// What an archive holds; nil, with the coder's error set, if it is malformed.
    static func read<Query>(
        from coder: NSCoder,
        parsing parse: (String, [Any]) throws -> Query
    ) -> Query? {
        let format = coder.decodeObject(of: NSString.self, forKey: formatKey)
        let arguments = coder.decodeObject(of: constantClasses, forKey: argumentsKey)
        guard let format, let arguments = arguments as? NSArray else {
            coder.failWithError(corrupt("it has no format string and list of constants."))
            return nil
        }
        do {
            return try parse(String(describing: format), arguments.map { constant($0) })
        } catch {
            coder.failWithError(corrupt("\(error)"))
            return nil
        }
    }

    /// A constant as Swift code would give it.
    private static func constant(_ value: Any) -> Any {
        switch value {
        case is NSNumber: return value
        case let array as NSArray: return array.map { constant($0) }
        default: return QueryValue(value).anyValue ?? NSNull()
        }
    }

    private static func corrupt(_ reason: String) -> any Error {
        CocoaError(
            .coderReadCorrupt,
            userInfo: [
                NSLocalizedDescriptionKey: "The archive of a predicate can't be read: " + reason
            ]
        )
    }
}
