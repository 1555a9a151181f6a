import Foundation

extension QueryFunction {
    /// The function's value; null for arguments that it has no value for.
    ///
    /// SQLite calls the same code, or follows the same rules: whole numbers stay whole until they
    /// overflow, division of whole numbers is whole, division by zero is null.
    func call(_ arguments: [QueryValue]) -> QueryValue {
        if isAggregate {
            return aggregate(arguments.count == 1 ? arguments[0] : .collection(arguments))
        }
        switch arguments.count {
        case 0: return self == .now ? .date(Date().timeIntervalSinceReferenceDate) : random()
        case 1: return call(arguments[0])
        default: return call(arguments[0], arguments[1])
        }
    }

    private func random() -> QueryValue { .integer(Int64.random(in: 0...0x7fff_ffff)) }

    // MARK: One argument

    private func call(_ value: QueryValue) -> QueryValue {
        switch self {
        case .noIndex: return value
        case .lowercase: return QueryComparison.text(value).map { .text($0.lowercased()) } ?? .null
        case .uppercase: return QueryComparison.text(value).map { .text($0.uppercased()) } ?? .null
        case .canonical:
            let options: TextOrder.Options = [.caseInsensitive, .diacriticInsensitive]
            return QueryComparison.text(value).map { .text(TextOrder.folded($0, options)) } ?? .null
        case .length:
            if case .bytes(let data) = value { return .integer(Int64(data.count)) }
            return QueryComparison.text(value).map { .integer(Int64($0.utf16.count)) } ?? .null
        default: break
        }
        guard let number = QueryNumber(value) else { return .null }
        switch (self, number) {
        case (.absolute, .integer(let integer)):
            // Beyond the range of integers by one.
            return integer == .min ? .real(0x1p63) : .integer(Swift.abs(integer))
        case (.ceiling, .integer), (.floor, .integer), (.truncate, .integer): return value
        case (.onesComplement, .integer(let integer)): return .integer(~integer)
        case (.onesComplement, .real): return .null
        case (.randomBelow, .integer(let bound)):
            return bound > 0 ? .integer(Int64.random(in: 0..<bound)) : .null
        default: break
        }
        let real = number.doubleValue
        switch self {
        case .absolute: return .number(Swift.abs(real))
        case .ceiling: return .number(real.rounded(.up))
        case .floor: return .number(real.rounded(.down))
        case .truncate: return .number(real.rounded(.towardZero))
        case .squareRoot: return .number(real.squareRoot())
        case .logarithm: return .number(log10(real))
        case .naturalLogarithm: return .number(Foundation.log(real))
        case .exponential: return .number(exp(real))
        default: return .null
        }
    }

    // MARK: Two arguments

    private func call(_ first: QueryValue, _ second: QueryValue) -> QueryValue {
        if self == .cast {
            guard case .text(let name) = second, let target = CastTarget(name: name) else {
                return .null
            }
            return target.cast(first)
        }
        guard let left = QueryNumber(first), let right = QueryNumber(second) else { return .null }
        // By the cases of the values, and not of the numbers, for which 2.0 is an integer too: a
        // real operand makes the division a real one.
        if Self.isWhole(first), Self.isWhole(second), case .integer(let left) = left,
            case .integer(let right) = right, let result = whole(left, right)
        {
            return result
        }
        let a = left.doubleValue, b = right.doubleValue
        switch self {
        case .add: return .number(a + b)
        case .subtract: return .number(a - b)
        case .multiply: return .number(a * b)
        case .divide: return b == 0 ? .null : .number(a / b)
        case .modulus: return b == 0 ? .null : .number(fmod(a, b))
        case .power: return .number(pow(a, b))
        default: return .null
        }
    }

    private static func isWhole(_ value: QueryValue) -> Bool {
        if case .integer = value { true } else { false }
    }

    /// Nil if the result overflows, or is not whole by nature.
    private func whole(_ left: Int64, _ right: Int64) -> QueryValue? {
        let result: (partialValue: Int64, overflow: Bool)
        switch self {
        case .add: result = left.addingReportingOverflow(right)
        case .subtract: result = left.subtractingReportingOverflow(right)
        case .multiply: result = left.multipliedReportingOverflow(by: right)
        case .divide:
            if right == 0 { return .null }
            result = left.dividedReportingOverflow(by: right)
        case .modulus:
            if right == 0 { return .null }
            // The least integer has no quotient by -1, and Swift stops at its remainder, too.
            return right == -1 ? .integer(0) : .integer(left % right)
        case .bitwiseAnd: return .integer(left & right)
        case .bitwiseOr: return .integer(left | right)
        case .bitwiseXor: return .integer(left ^ right)
        // Smart shifts, and not `&<<`: as in SQLite, a negative count shifts the other way, and one
        // above 63 shifts all bits out.
        case .leftShift: return .integer(left << right)
        case .rightShift: return .integer(left >> right)
        default: return nil
        }
        return result.overflow ? nil : .integer(result.partialValue)
    }

    // MARK: Collections

    /// Nulls don't count, except for `count:`.
    private func aggregate(_ collection: QueryValue) -> QueryValue {
        let elements: [QueryValue]
        switch collection {
        case .collection(let all): elements = all
        case .null: elements = []
        default: elements = [collection]
        }
        switch self {
        case .count: return .integer(Int64(elements.count))
        case .minimum: return Self.extreme(elements) { $0 < 0 }
        case .maximum: return Self.extreme(elements) { $0 > 0 }
        case .sum: return Self.sum(elements)
        case .mode: return Self.mode(elements)
        default: break
        }
        let numbers = elements.compactMap { QueryNumber($0)?.doubleValue }
        // Of nothing there is none of these: the mean would be no number, and the median's place
        // out of bounds.
        guard !numbers.isEmpty else { return .null }
        let mean = numbers.reduce(0, +) / Double(numbers.count)
        switch self {
        case .average: return .number(mean)
        case .standardDeviation:
            let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            return .number((squares / Double(numbers.count)).squareRoot())
        case .median:
            let sorted = numbers.sorted(), middle = sorted.count / 2
            return sorted.count.isMultiple(of: 2)
                ? .number((sorted[middle - 1] + sorted[middle]) / 2) : .number(sorted[middle])
        default: return .null
        }
    }

    private static func sum(_ elements: [QueryValue]) -> QueryValue {
        var total = QueryValue.integer(0)
        for element in elements where QueryNumber(element) != nil {
            if case .date(let seconds) = element {
                total = QueryFunction.add.call(total, .real(seconds))
            } else if case .decimal = element, let number = QueryNumber(element) {
                total = QueryFunction.add.call(total, .real(number.doubleValue))
            } else {
                total = QueryFunction.add.call(total, element)
            }
        }
        return total
    }

    private static func extreme(
        _ elements: [QueryValue],
        isBetter: (Int) -> Bool
    ) -> QueryValue {
        var best = QueryValue.null
        for element in elements where !element.isNull {
            guard !best.isNull else {
                best = element
                continue
            }
            if let order = QueryComparison.order(element, best, []), isBetter(order) {
                best = element
            }
        }
        return best
    }

    private static func mode(_ elements: [QueryValue]) -> QueryValue {
        var counts: [QueryNumber: Int] = [:]
        var best: (value: QueryValue, count: Int) = (.null, 0)
        for element in elements {
            guard let number = QueryNumber(element) else { continue }
            let count = counts[number, default: 0] + 1
            counts[number] = count
            // The first to reach the highest count wins, so that the result does not depend on the
            // order of a dictionary, which differs from run to run.
            if count > best.count { best = (element, count) }
        }
        return best.value
    }
}

extension QueryNumber {
    var doubleValue: Double {
        switch self {
        case .integer(let integer): Double(integer)
        case .real(let real): real
        }
    }
}

extension CastTarget {
    /// The value as this type; null if it has none.
    func cast(_ value: QueryValue) -> QueryValue {
        switch self {
        case .date: return QueryNumber(value).map { .date($0.doubleValue) } ?? .null
        case .number, .decimal:
            if case .text(let text) = value { return QueryComparison.number(text) ?? .null }
            if case .date(let seconds) = value { return .number(seconds) }
            return QueryNumber(value) == nil ? .null : value
        case .string:
            if case .scalar(let scalar) = value {
                return scalar.text.map { .text($0) } ?? .null
            }
            if let text = QueryComparison.text(value) { return .text(text) }
            return QueryNumber(value).map { .text("\($0.doubleValue)") } ?? .null
        case .url:
            if case .url = value { return value }
            guard case .text(let text) = value else { return .null }
            return URL(string: text).map { .url($0) } ?? .null
        case .scalar(let kind):
            if case .scalar(let scalar) = value { return scalar.kind == kind ? value : .null }
            guard case .text(let text) = value,
                let converted = AttributeKinds.kind(of: kind)?.value(text),
                let stored = kind.slotValue(converted)
            else { return .null }
            return kind.queryValue(stored)
        case .data:
            if case .bytes = value { return value }
            guard case .text(let text) = value else { return .null }
            return Data(base64Encoded: text).map { .bytes($0) } ?? .null
        }
    }
}
