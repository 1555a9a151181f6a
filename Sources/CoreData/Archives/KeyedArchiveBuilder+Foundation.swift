import Foundation

/// A value that has no form in an archive.
struct UnarchivableValue: Error {
    let typeName: String
}

extension KeyedArchiveBuilder {
    private static let maximumDepth = 128

    /// A reference to a value of Foundation's or Swift's plain types, to an object that archives
    /// itself securely, or to a collection of those.
    ///
    /// Dictionaries go by their keys and sets by their elements, as text, so that equal values give
    /// equal bytes.
    ///
    /// - Throws: For a value of another type, or one that is nested too deep.
    func value(_ value: Any, depth: Int = 0) throws(UnarchivableValue) -> PropertyListValue {
        guard depth <= Self.maximumDepth else { throw UnarchivableValue(typeName: "a deep tree") }
        if let leaf = leaf(value) { return leaf }
        switch value {
        case let array as NSArray:
            return self.array(
                try elements(array.map { $0 }, depth),
                isMutable: value is NSMutableArray
            )
        case let set as NSOrderedSet:
            return orderedSet(
                try elements(set.map { $0 }, depth),
                isMutable: value is NSMutableOrderedSet
            )
        case let set as NSSet:
            let sorted = set.map { (Self.order(of: $0), $0) }.sorted { $0.0 < $1.0 }.map(\.1)
            for element in sorted { try Self.checkHashable(element) }
            return self.set(try elements(sorted, depth), isMutable: value is NSMutableSet)
        case let dictionary as NSDictionary:
            let sorted = dictionary.map { (Self.order(of: $0.key), $0.key, $0.value) }
                .sorted { $0.0 < $1.0 }
            var entries: [(key: PropertyListValue, value: PropertyListValue)] = []
            for (_, key, value) in sorted {
                try Self.checkHashable(key)
                let key = try self.value(key, depth: depth + 1)
                entries.append((key, try self.value(value, depth: depth + 1)))
            }
            return self.dictionary(entries, isMutable: value is NSMutableDictionary)
        default:
            return try other(value, depth: depth)
        }
    }

    /// What can't be read again is not written.
    private static func checkHashable(_ value: Any) throws(UnarchivableValue) {
        guard let name = FoundationArchive.nameOfUnhashable(value) else { return }
        throw UnarchivableValue(typeName: "a set or the keys of a dictionary with \(name)")
    }

    /// What elements of sets and keys of dictionaries are sorted by.
    private static func order(of value: Any) -> String {
        switch value {
        // The description of a date that is not a number stops the process.
        case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
        case let array as NSArray: "\(array.map { order(of: $0) })"
        case let set as NSOrderedSet: "\(set.map { order(of: $0) })"
        case let set as NSSet: "\(set.map { order(of: $0) }.sorted())"
        case let dictionary as NSDictionary:
            "\(dictionary.map { [order(of: $0.key), order(of: $0.value)].description }.sorted())"
        default: "\(value)"
        }
    }

    private func elements(
        _ values: [Any],
        _ depth: Int
    ) throws(UnarchivableValue) -> [PropertyListValue] {
        var elements: [PropertyListValue] = []
        for value in values { elements.append(try self.value(value, depth: depth + 1)) }
        return elements
    }

    private func orderedSet(
        _ elements: [PropertyListValue],
        isMutable: Bool
    ) -> PropertyListValue {
        var fields: [String: PropertyListValue] = [:]
        for (index, element) in elements.enumerated() { fields["NS.object.\(index)"] = element }
        return object(
            isMutable
                ? ["NSMutableOrderedSet", "NSOrderedSet", "NSObject"]
                : ["NSOrderedSet", "NSObject"],
            fields
        )
    }

    // MARK: Values without parts

    private func leaf(_ value: Any) -> PropertyListValue? {
        switch value {
        case let decimal as NSDecimalNumber where type(of: value) is NSDecimalNumber.Type:
            return self.decimal(decimal.decimalValue)
        case let decimal as Decimal where type(of: value) == Decimal.self:
            return self.decimal(decimal)
        case let date as Date where !date.timeIntervalSinceReferenceDate.isNaN:
            return object(
                ["NSDate", "NSObject"],
                ["NS.time": .real(date.timeIntervalSinceReferenceDate)]
            )
        case is URL:
            return URL(bridging: value).map { self.url($0) }
        case is NSNull:
            return object(["NSNull", "NSObject"], [:])
        default:
            if let plain = PropertyListValue.plain(value) { return self.plain(plain) }
            return AttributeKinds.archived(value).flatMap { scalar($0.value, $0.form) }
        }
    }

    private func scalar(_ value: SlotValue, _ form: ArchivedScalar) -> PropertyListValue? {
        let field: PropertyListValue
        switch value {
        case .integer(let integer): field = .integer(integer)
        case .real(let real): field = .real(real)
        case .text(let text): field = string(text)
        case .bytes(let data): field = .data(data)
        case .null, .reference, .box: return nil
        }
        return object(form.classNames, [form.field: field])
    }

    private func url(_ url: URL) -> PropertyListValue {
        let base = url.baseURL.map { self.url($0) } ?? Self.null
        return object(
            ["NSURL", "NSObject"],
            ["NS.base": base, "NS.relative": string(url.relativeString)]
        )
    }

    /// Eight digits of base 65,536, the least significant first, each with its low byte first.
    private func decimal(_ decimal: Decimal) -> PropertyListValue {
        // What is not a number has no digits but zero. With no digits and a minus sign it is
        // archived in the form that `Decimal.nan` has.
        var rest = UInt128(decimal.significand.description) ?? 0
        var bytes: [UInt8] = []
        var length = 0
        for digit in 0..<8 {
            let value = UInt16(truncatingIfNeeded: rest)
            bytes += [UInt8(value & 255), UInt8(value >> 8)]
            if value != 0 { length = digit + 1 }
            rest >>= 16
        }
        return object(
            ["NSDecimalNumberPlaceholder", "NSDecimalNumber", "NSNumber", "NSValue", "NSObject"],
            [
                "NS.mantissa": .data(Data(bytes)), "NS.mantissa.bo": .integer(1),
                "NS.exponent": .integer(decimal.isNaN ? 0 : Int64(decimal.exponent)),
                "NS.length": .integer(Int64(length)),
                "NS.negative": .boolean(decimal.isNaN || decimal.isSignMinus),
                "NS.compact": .boolean(true),
            ]
        )
    }
}
