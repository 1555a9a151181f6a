/// The functions that expressions can call, by the names that format strings use.
enum QueryFunction: String, CaseIterable, Sendable {
    case sum = "sum:"
    case count = "count:"
    case minimum = "min:"
    case maximum = "max:"
    case average = "average:"
    case median = "median:"
    case mode = "mode:"
    case standardDeviation = "stddev:"
    case add = "add:to:"
    case subtract = "from:subtract:"
    case multiply = "multiply:by:"
    case divide = "divide:by:"
    case modulus = "modulus:by:"
    case power = "raise:toPower:"
    case squareRoot = "sqrt:"
    case logarithm = "log:"
    case naturalLogarithm = "ln:"
    case exponential = "exp:"
    case absolute = "abs:"
    case ceiling = "ceiling:"
    case floor = "floor:"
    case truncate = "trunc:"
    case random = "random"
    case randomBelow = "randomn:"
    case now = "now"
    case bitwiseAnd = "bitwiseAnd:with:"
    case bitwiseOr = "bitwiseOr:with:"
    case bitwiseXor = "bitwiseXor:with:"
    case leftShift = "leftshift:by:"
    case rightShift = "rightshift:by:"
    case onesComplement = "onesComplement:"
    case noIndex = "noindex:"
    case distance = "distanceToLocation:fromLocation:"
    case lowercase = "lowercase:"
    case uppercase = "uppercase:"
    case canonical = "canonical:"
    case length = "length:"
    case cast = "castObject:toType:"
    case element = "objectFrom:withIndex:"

    /// The number of arguments: the number of colons, except where any number is fine.
    var argumentCount: Int { rawValue.utf8.reduce(0) { $0 + ($1 == UInt8(ascii: ":") ? 1 : 0) } }

    /// Whether the function has one value for the same arguments, whenever it is called, and takes
    /// values alone.
    var isFoldable: Bool {
        switch self {
        case .random, .randomBelow, .now, .element, .distance: false
        default: true
        }
    }

    /// Whether several arguments count as one collection.
    var isAggregate: Bool {
        switch self {
        case .sum, .count, .minimum, .maximum, .average, .median, .mode, .standardDeviation: true
        default: false
        }
    }
}
