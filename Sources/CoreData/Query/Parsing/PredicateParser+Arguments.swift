import Foundation

/// The format specifiers. Their values are never parsed.
extension PredicateParser {
    mutating func specifier() throws -> Term {
        let start = scanner.position
        scanner.position += 1
        // Lengths and precisions say nothing: arguments know their types.
        while Self.isLengthOrPrecision(scanner.current), !scanner.isAtEnd { scanner.position += 1 }
        let conversion = scanner.current
        guard !scanner.isAtEnd else { throw failure("expected a format specifier", at: start) }
        scanner.position += 1
        let text = scanner.text(start..<scanner.position)
        switch conversion {
        case UInt8(ascii: "@"):
            return object(try argument(for: text))
        case UInt8(ascii: "K"):
            return .expression(try key(try argument(for: text), at: start))
        case UInt8(ascii: "d"), UInt8(ascii: "i"), UInt8(ascii: "D"), UInt8(ascii: "u"),
            UInt8(ascii: "U"), UInt8(ascii: "x"), UInt8(ascii: "X"), UInt8(ascii: "o"),
            UInt8(ascii: "O"), UInt8(ascii: "c"), UInt8(ascii: "C"):
            let value = try number(try argument(for: text), text, at: start)
            guard let integer = Self.integer(value) else {
                throw failure("expected a whole number as the argument for \(text)", at: start)
            }
            return .expression(NSExpression(.constant(integer)))
        case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "g"), UInt8(ascii: "G"),
            UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "a"), UInt8(ascii: "A"):
            let value = try number(try argument(for: text), text, at: start)
            return .expression(NSExpression(.constant(value.doubleValue)))
        case UInt8(ascii: "s"), UInt8(ascii: "S"):
            let value = try argument(for: text)
            return .expression(NSExpression(.constant(value.map { "\($0)" })))
        default:
            throw failure("expected a format specifier such as %@, %K, %d or %f", at: start)
        }
    }

    private static func isLengthOrPrecision(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "l"), UInt8(ascii: "h"), UInt8(ascii: "q"), UInt8(ascii: "z"),
            UInt8(ascii: "t"), UInt8(ascii: "j"), UInt8(ascii: "."), UInt8(ascii: "0"),
            UInt8(ascii: "1")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private func object(_ value: Any?) -> Term {
        if let predicate = value as? NSPredicate { return .predicate(predicate) }
        return .expression(value as? NSExpression ?? NSExpression(.constant(value)))
    }

    private func key(_ value: Any?, at position: Int) throws -> NSExpression {
        let name: String
        if let text = value as? String {
            name = text
        } else if let keyPath = value as? AnyKeyPath, let text = KeyPathNames.name(of: keyPath) {
            name = text
        } else {
            throw failure("expected a key as the argument for %K", at: position)
        }
        guard !name.isEmpty else {
            throw failure("expected a key that is not empty as the argument for %K", at: position)
        }
        return NSExpression(forKeyPath: name)
    }

    private func number(_ value: Any?, _ specifier: String, at position: Int) throws -> NSNumber {
        switch value {
        case let value as NSNumber: return value
        case let value as any BinaryInteger: return NSNumber(value: Int64(clamping: value))
        case let value as any BinaryFloatingPoint: return NSNumber(value: Double(value))
        case let value as Character:
            let scalars = value.unicodeScalars
            return NSNumber(value: scalars[scalars.startIndex].value)
        default:
            throw failure("expected a number as the argument for \(specifier)", at: position)
        }
    }

    private static func integer(_ number: NSNumber) -> Int? {
        if let integer = number as? Int { return integer }
        let real = number.doubleValue
        // Well inside of what an Int holds, so that rounding does not lead out of it.
        guard real > -9.2e18, real < 9.2e18 else { return nil }
        return Int(real)
    }
}

/// An optional of any type, so that an optional passed as `Any` can be unwrapped.
private protocol OptionalValue {
    var wrapped: Any? { get }
}
extension Optional: OptionalValue {
    fileprivate var wrapped: Any? { map { $0 } }
}

/// The value itself, out of any optionals around it; `NSNull` is nil.
func unwrapped(_ value: Any) -> Any? {
    let type = type(of: value)
    if type == String.self || type == Int.self || type == Double.self { return value }
    return flattened(value).flatMap { $0 is NSNull ? nil : $0 }
}

/// The value itself, out of any optionals around it.
func flattened(_ value: Any) -> Any? {
    guard let optional = value as? any OptionalValue else { return value }
    return optional.wrapped.flatMap(flattened)
}
