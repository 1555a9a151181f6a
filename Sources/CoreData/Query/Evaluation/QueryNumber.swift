import Foundation

/// A number of any type, for comparison and for sets; equal numbers are equal here.
enum QueryNumber: Hashable {
    case integer(Int64)
    /// Not a whole number that an `Int64` can hold, and not NaN.
    case real(Double)

    init?(_ value: QueryValue) {
        switch value {
        case .integer(let integer): self = .integer(integer)
        case .real(let real), .date(let real):
            guard !real.isNaN else { return nil }
            self.init(real)
        case .decimal(let decimal):
            // Stores keep decimals as doubles. `NSDecimalNumber.doubleValue` is not exact.
            let text = decimal.description
            if let integer = Int64(text) {
                self = .integer(integer)
            } else if let real = Double(text), !real.isNaN {
                self.init(real)
            } else {
                return nil
            }
        default: return nil
        }
    }

    init(_ real: Double) {
        // The greatest Int64, as a Double, is 2^63 and no Int64 any more.
        if real >= -0x1p63, real < 0x1p63, real.rounded(.towardZero) == real {
            self = .integer(Int64(real))
        } else {
            self = .real(real)
        }
    }

    /// Exact, also between integers and reals, as SQLite does it.
    static func order(_ left: QueryNumber, _ right: QueryNumber) -> Int {
        switch (left, right) {
        case (.integer(let left), .integer(let right)):
            return left < right ? -1 : left == right ? 0 : 1
        case (.real(let left), .real(let right)):
            return left < right ? -1 : left == right ? 0 : 1
        case (.integer(let left), .real(let right)): return order(left, right)
        case (.real(let left), .integer(let right)): return -order(right, left)
        }
    }

    /// The real number has a fraction or is beyond all integers.
    private static func order(_ integer: Int64, _ real: Double) -> Int {
        if real < -0x1p63 { return 1 }
        if real >= 0x1p63 { return -1 }
        // As integers: beyond 2^53 a Double does not hold each of them, and different numbers would
        // be equal.
        let whole = Int64(real)
        if integer != whole { return integer < whole ? -1 : 1 }
        // Only the fraction is left to decide, which the conversion has cut off towards zero.
        return Double(whole) < real ? -1 : 1
    }
}
