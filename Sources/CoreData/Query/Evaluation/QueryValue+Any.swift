import Foundation

extension QueryValue {
    /// A value as key-value access gives it.
    init(_ value: Any?) {
        guard let value else {
            self = .null
            return
        }
        let type = type(of: value)
        // Exact types come first, for casts of `Any` are slow and most values are one of these.
        if type == String.self, let text = value as? String {
            self = .text(text)
        } else if type == Int.self, let integer = value as? Int {
            self = .integer(Int64(integer))
        } else if type == Bool.self, let flag = value as? Bool {
            self = .integer(flag ? 1 : 0)
        } else if type == Double.self, let real = value as? Double {
            self = .number(real)
        } else if type is AnyClass {
            self = Self.object(value)
        } else {
            self = Self.structure(value)
        }
    }

    /// What a client has evaluated: mostly objects and dictionaries, which take the short way.
    init(subject: Any?) {
        guard let subject else {
            self = .null
            return
        }
        // A cast to a protocol that fails costs more than the rest of an evaluation, so the most
        // frequent plain types are told apart before.
        let type = type(of: subject)
        if type == [String: Any].self, let dictionary = subject as? [String: Any] {
            self = .object(DictionarySource(subject) { dictionary[$0] })
        } else if type != String.self, type != Int.self,
            let source = subject as? any KeyValueSource
        {
            self = .object(source)
        } else {
            self = QueryValue(unwrapped(subject))
        }
    }

    /// A real number; one that is none is null, as SQLite has it.
    static func number(_ real: Double) -> QueryValue { real.isNaN ? .null : .real(real) }

    private static func object(_ value: Any) -> QueryValue {
        switch value {
        case let source as any KeyValueSource: return .object(source)
        // Before NSNumber, its superclass, which would give its digits as those of a Double.
        case let number as NSDecimalNumber:
            let decimal = number.decimalValue
            return decimal.isNaN ? .null : .decimal(decimal)
        case let number as NSNumber:
            switch number.objCType.pointee {
            case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")):
                return .number(number.doubleValue)
            default: return .integer(number.int64Value)
            }
        case let text as NSString: return .text(String(describing: text))
        case is NSNull: return .null
        case let date as NSDate: return .date(date.timeIntervalSinceReferenceDate)
        case let data as NSData: return .bytes(Data(referencing: data))
        case is NSURL: return URL(bridging: value).map { .url($0.absoluteURL) } ?? .other(value)
        case let array as NSArray: return .collection(array.map { QueryValue($0) })
        case let set as NSSet: return .collection(set.map { QueryValue($0) })
        case let set as NSOrderedSet: return .collection(set.map { QueryValue($0) })
        case let dictionary as NSDictionary:
            return .object(DictionarySource(value) { dictionary.object(forKey: $0 as NSString) })
        // Bounds and lists are also given as arrays of expressions.
        case let expression as NSExpression where expression.expressionType == .constantValue:
            return QueryValue(expression.constantValue)
        default: return AttributeKinds.scalar(value).map { .scalar($0) } ?? .other(value)
        }
    }

    private static func structure(_ value: Any) -> QueryValue {
        if let date = value as? Date { return .date(date.timeIntervalSinceReferenceDate) }
        if let scalar = AttributeKinds.scalar(value) { return .scalar(scalar) }
        switch value {
        case let data as Data: return .bytes(data)
        case let url as URL: return .url(url)
        case let decimal as Decimal: return decimal.isNaN ? .null : .decimal(decimal)
        case let integer as any BinaryInteger: return .integer(Int64(clamping: integer))
        case let real as any BinaryFloatingPoint: return .number(Double(real))
        case let text as Substring: return .text(String(text))
        case let character as Character: return .text(String(character))
        case let value as QueryValue: return value
        case let array as [Any]: return .collection(array.map { QueryValue(unwrapped($0)) })
        case let dictionary as [String: Any]:
            return .object(DictionarySource(value) { dictionary[$0] })
        case let set as Set<AnyHashable>: return .collection(set.map { QueryValue($0.base) })
        // By its type, for a cast makes one of every value that can be hashed.
        case let hashable as AnyHashable where Swift.type(of: value) == AnyHashable.self:
            return QueryValue(hashable.base)
        default:
            // An optional may hide in an `Any`, even several of them.
            guard let inner = unwrapped(value) else { return .null }
            return Swift.type(of: inner) == Swift.type(of: value)
                ? .other(value) : QueryValue(inner)
        }
    }

    /// The value as key-value access gives it.
    var anyValue: Any? {
        switch self {
        case .null: nil
        case .integer(let integer): NSNumber(value: integer)
        case .real(let real): NSNumber(value: real)
        case .decimal(let decimal): NSDecimalNumber(decimal: decimal)
        case .text(let text): text
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .bytes(let data): data
        case .url(let url): url
        case .scalar(let scalar): scalar.anyValue
        // The client's own dictionary comes out again, not what stands in for it.
        case .object(let source): (source as? DictionarySource)?.original ?? source
        case .collection(let values): values.map { $0.anyValue ?? NSNull() }
        case .other(let value): value
        }
    }

    var isNull: Bool {
        if case .null = self { true } else { false }
    }
}

/// A dictionary as predicates see it; a key that it lacks is nil.
///
/// > Threading: Confined to one evaluation.
final class DictionarySource: KeyValueSource {
    private let value: (String) -> Any?
    let original: Any

    init(_ original: Any, value: @escaping (String) -> Any?) {
        self.original = original
        self.value = value
    }
    func queryValue(for key: QueryKey) -> QueryValue? {
        QueryValue(value(key.name).flatMap(unwrapped))
    }
    var queryIdentity: AnyHashable { ObjectIdentifier(self) }
}
