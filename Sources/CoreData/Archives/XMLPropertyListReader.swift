import Foundation
import Markup

/// Reads property lists in XML (`PropertyList-1.0.dtd`).
enum XMLPropertyListReader {
    static func read(_ bytes: [UInt8]) throws(ArchiveError) -> PropertyListValue {
        let root: MarkupElement
        do throws(MarkupError) {
            root = try MarkupReader.read(bytes)
        } catch {
            throw ArchiveError(reason: "line \(error.line): \(error.message)")
        }
        guard root.name == "plist", let content = root.children.first, root.children.count == 1
        else { throw problem(root, "the root is no <plist> with one element") }
        return try value(content)
    }

    /// What an element stands for. The markup reader limits how deep this goes.
    static func value(_ element: MarkupElement) throws(ArchiveError) -> PropertyListValue {
        switch element.name {
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "string": return .string(element.text)
        case "integer": return try integer(element)
        case "real": return try real(element)
        case "date": return try date(element)
        case "data": return try data(element)
        case "array":
            var elements: [PropertyListValue] = []
            for child in element.children { elements.append(try value(child)) }
            return .array(elements)
        case "dict": return try dictionary(element)
        default: throw problem(element, "the element <\(element.name)> is of no known type")
        }
    }

    private static func dictionary(
        _ element: MarkupElement
    ) throws(ArchiveError) -> PropertyListValue {
        guard element.children.count % 2 == 0 else {
            throw problem(element, "a dictionary has a key without a value")
        }
        var entries: [String: PropertyListValue] = [:]
        for index in stride(from: 0, to: element.children.count, by: 2) {
            let key = element.children[index]
            guard key.name == "key" else { throw problem(key, "<\(key.name)> stands for a key") }
            entries[key.text] = try value(element.children[index + 1])
        }
        // How archives in XML refer to their objects.
        if entries.count == 1, case .integer(let place)? = entries["CF$UID"], place >= 0 {
            return .reference(Int(place))
        }
        return .dictionary(entries)
    }

    private static func integer(_ element: MarkupElement) throws(ArchiveError) -> PropertyListValue
    {
        let text = trimmed(element)
        let isHexadecimal = text.hasPrefix("0x") || text.hasPrefix("0X")
        if isHexadecimal, let number = UInt64(text.dropFirst(2), radix: 16) {
            return number > UInt64(Int64.max) ? .unsigned(number) : .integer(Int64(number))
        }
        if let number = Int64(text) { return .integer(number) }
        guard let number = UInt64(text) else { throw problem(element, "an integer is malformed") }
        return .unsigned(number)
    }

    private static func real(_ element: MarkupElement) throws(ArchiveError) -> PropertyListValue {
        guard let real = Double(trimmed(element)) else {
            throw problem(element, "a real number is malformed")
        }
        return .real(real)
    }

    private static func data(_ element: MarkupElement) throws(ArchiveError) -> PropertyListValue {
        let text = element.text.filter { !$0.isWhitespace }
        guard let data = Data(base64Encoded: text) else {
            throw problem(element, "data is not valid Base64")
        }
        return .data(data)
    }

    /// `2001-01-01T00:00:00Z`, always in UTC.
    private static func date(_ element: MarkupElement) throws(ArchiveError) -> PropertyListValue {
        let parts = trimmed(element).split(omittingEmptySubsequences: false) { "-T:Z".contains($0) }
        let numbers = parts.dropLast().compactMap { Int($0) }
        guard parts.count == 7, parts[6].isEmpty, numbers.count == 6,
            1...9999 ~= numbers[0], 1...12 ~= numbers[1], 1...31 ~= numbers[2],
            0...23 ~= numbers[3], 0...59 ~= numbers[4], 0...60 ~= numbers[5]
        else { throw problem(element, "a date is malformed") }
        let days = days(numbers[0], numbers[1], numbers[2])
        return .date(Double(days * 86_400 + numbers[3] * 3_600 + numbers[4] * 60 + numbers[5]))
    }

    /// The days from 2001-01-01 to a day of the proleptic Gregorian calendar.
    private static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        // Years begin in March here, so that the leap day is the last one.
        let year = month > 2 ? year : year - 1
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let daysToYear = 365 * year + year / 4 - year / 100 + year / 400
        return daysToYear + dayOfYear - 730_791
    }

    private static func trimmed(_ element: MarkupElement) -> String {
        element.text.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func problem(_ element: MarkupElement, _ what: String) -> ArchiveError {
        ArchiveError(reason: "line \(element.line): \(what)")
    }
}
