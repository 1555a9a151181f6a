import Foundation

/// A decimal number that sets can hold and dictionaries can have as a key.
///
/// On Linux the hash of Foundation's `NSDecimalNumber` calls itself until the stack is full, so
/// decimal numbers become instances of this class before they go where they are hashed. The other
/// methods are inherited; one call differs, for Foundation treats subclasses as integers there:
/// `as? Int` cuts a fraction off where it gives nil for an instance of `NSDecimalNumber` itself.
///
/// > Threading: Immutable; any thread.
final class HashableDecimalNumber: NSDecimalNumber, @unchecked Sendable {
    override init(decimal: Decimal) { super.init(decimal: decimal) }

    required init?(coder: NSCoder) { super.init(coder: coder) }

    required convenience init(bytes: UnsafeRawPointer, objCType: UnsafePointer<CChar>) {
        self.init(decimal: NSNumber(bytes: bytes, objCType: objCType).decimalValue)
    }

    required convenience init(floatLiteral value: Double) { self.init(decimal: Decimal(value)) }

    required convenience init(booleanLiteral value: Bool) { self.init(decimal: value ? 1 : 0) }

    required convenience init(integerLiteral value: Int) { self.init(decimal: Decimal(value)) }

    /// That of the other numbers of the same value, which are equal to this one.
    override var hash: Int {
        // A whole number can be equal to one of Foundation's integers, any other to a real number:
        // equal numbers must have the same hash.
        let digits = decimalValue.description
        if let integer = Int64(digits) { return NSNumber(value: integer).hash }
        return NSNumber(value: Double(digits) ?? .nan).hash
    }

    override func isEqual(_ value: Any?) -> Bool {
        switch value {
        case let number as NSDecimalNumber: number.decimalValue == decimalValue
        case let number as NSNumber: isEqual(toNumber: number)
        default: false
        }
    }

    private func isEqual(toNumber number: NSNumber) -> Bool {
        switch PropertyListValue.number(number) {
        case .real(let real): Double(decimalValue.description) == real
        default: number.decimalValue == decimalValue
        }
    }

    // MARK: Values that are going to be hashed

    /// The value itself, or the decimal number that can be hashed in its place.
    static func hashable(_ value: Any) -> Any {
        guard let decimal = value as? NSDecimalNumber, !(decimal is HashableDecimalNumber) else {
            return value
        }
        return HashableDecimalNumber(decimal: decimal.decimalValue)
    }

    /// Values for one collection. Beside decimal numbers integers become decimal numbers too, for
    /// Foundation would compare the two as integers.
    static func hashable(_ values: [Any]) -> [Any] {
        guard values.contains(where: { $0 is NSDecimalNumber }) else { return values }
        return values.map { value in
            if let number = value as? NSNumber, type(of: value) is NSNumber.Type,
                !(number is NSDecimalNumber), case .integer = PropertyListValue.number(number)
            {
                return HashableDecimalNumber(decimal: number.decimalValue)
            }
            return hashable(value)
        }
    }
}
