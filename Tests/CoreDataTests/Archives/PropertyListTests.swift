import Foundation
import Testing

@testable import CoreData

@Suite struct PropertyListTests {
    private static let value: [String: any Sendable] = [
        "text": "grüße 🎉", "ascii": "plain <&>", "number": 1 << 40, "negative": -5, "real": 1.5,
        "flag": true, "no": false, "zero": 0, "small": 200, "medium": 70_000,
        "date": Date(timeIntervalSinceReferenceDate: 12),
        "data": Data(repeating: 7, count: 300), "list": ["a", 1, [String]()] as [any Sendable],
        "nested": ["x": ["y": "z"]],
    ]

    @Test(arguments: [PropertyListSerialization.PropertyListFormat.binary, .xml])
    func whatFoundationWritesIsRead(format: PropertyListSerialization.PropertyListFormat) throws {
        let data = try PropertyListSerialization.data(
            fromPropertyList: Self.value,
            format: format,
            options: 0
        )
        let read = try #require(try PropertyList.read(data).anyValue as? [String: Any])
        #expect(NSDictionary(dictionary: read) == NSDictionary(dictionary: Self.value))
        #expect(try PropertyList.read(data)["flag"] == .boolean(true))
        #expect(try PropertyList.read(data)["zero"] == .integer(0))
    }

    @Test func whatIsWrittenFoundationReads() throws {
        let list = try #require(PropertyListValue(Self.value))
        let data = BinaryPropertyListWriter.data(list)
        let read = try PropertyListSerialization.propertyList(from: data, format: nil)
        #expect(read as? NSDictionary == NSDictionary(dictionary: Self.value))
        #expect(try PropertyList.read(data) == list)
        #expect(BinaryPropertyListWriter.data(list) == data)
    }

    @Test func longListsAndLargeNumbersComeBack() throws {
        let list = PropertyListValue.dictionary([
            "many": .array((0..<70_000).map { .integer($0) }),
            "large": .unsigned(.max), "least": .integer(.min), "minusZero": .real(-0.0),
            "zero": .real(0), "reference": .reference(300), "nothing": .array([]),
        ])
        let read = try PropertyList.read(BinaryPropertyListWriter.data(list))
        #expect(read == list)
        guard case .real(let minusZero)? = read["minusZero"] else {
            throw CocoaError(.coderInvalidValue)
        }
        #expect(minusZero.sign == .minus)
    }

    @Test(arguments: ["1970-01-01", "2000-02-29", "2100-03-01", "1904-12-31", "2026-11-21"])
    func datesOfXMLAreThoseOfTheCalendar(day: String) throws {
        let xml = "<plist><date>\(day)T13:45:07Z</date></plist>"
        let expected = try Date("\(day)T13:45:07Z", strategy: .iso8601)
        #expect(
            try PropertyList.read(Data(xml.utf8)) == .date(expected.timeIntervalSinceReferenceDate)
        )
    }

    @Test(arguments: [
        "", "text", "bplist00", "<plist>", "<plist><dict><key>a</key></dict></plist>",
        "<plist><integer>12x</integer></plist>", "<plist><data>%%%</data></plist>",
        "<plist><date>2001-13-01T00:00:00Z</date></plist>", "<plist><thing/></plist>",
        "<plist/>", "<dict/>",
    ])
    func whatIsNoPropertyListIsRefused(text: String) {
        #expect(throws: ArchiveError.self) { try PropertyList.read(Data(text.utf8)) }
    }

    @Test(arguments: [
        ("<plist><dict><string>a</string><true/></dict></plist>", "<string> stands for a key"),
        ("<plist><dict><key>a</key></dict></plist>", "a dictionary has a key without a value"),
        ("<plist><integer>18446744073709551616</integer></plist>", "an integer is malformed"),
    ])
    func faultsInXMLAreNamed(text: String, reason: String) {
        let error = #expect(throws: ArchiveError.self) { try PropertyList.read(Data(text.utf8)) }
        #expect(error?.reason == "line 1: \(reason)")
    }

    @Test(
        arguments: [
            ("<plist><integer>0x1F</integer></plist>", .integer(31)),
            ("<plist><integer>0XFFFFFFFFFFFFFFFF</integer></plist>", .unsigned(.max)),
            ("<plist><integer>18446744073709551615</integer></plist>", .unsigned(.max)),
            ("<plist><dict><key>CF$UID</key><integer>3</integer></dict></plist>", .reference(3)),
            ("\u{FEFF}<plist><string>&apos;&quot;&lt;</string></plist>", .string("'\"<")),
        ] as [(String, PropertyListValue)]
    )
    func otherFormsOfXMLAreRead(text: String, value: PropertyListValue) throws {
        #expect(try PropertyList.read(Data(text.utf8)) == value)
    }

    @Test func listsBeyondTheLimitAreRefused() {
        let data = Data("<plist><true/></plist>".utf8)
        let error = #expect(throws: ArchiveError.self) {
            try PropertyList.read(data, maximumByteCount: 10)
        }
        #expect(error?.reason == "it is larger than 0 MiB")
    }

    @Test func whatIsNoPropertyListHasNoForm() throws {
        let thread = Thread.current
        let values: [Any] = [thread, ["a": thread], ["a", thread], UInt128.max, ["b": [thread]]]
        for value in values {
            #expect(PropertyListValue(value) == nil, "\(value)")
        }
        var deep: [Any] = []
        for _ in 0..<200 { deep = [deep] }
        #expect(PropertyListValue(deep) == nil)
        #expect(PropertyListValue(UInt64.max) == .unsigned(.max))
        #expect(PropertyListValue(NSNumber(value: UInt64.max)) == .unsigned(.max))
        #expect(PropertyListValue.unsigned(.max).anyValue as? UInt == .max)
        #expect(PropertyListValue(try #require(Decimal(string: "1.5"))) == .real(1.5))
    }

    /// A list of objects, one byte per reference and offset, whose first is the root.
    private func list(_ objects: [[UInt8]]) -> Data {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets.append(UInt8(bytes.count))
            bytes += object
        }
        let table = bytes.count
        bytes += offsets + [0, 0, 0, 0, 0, 0, 1, 1]
        for number in [objects.count, 0, table] {
            bytes += (0..<8).map { UInt8(number >> (56 - 8 * $0) & 255) }
        }
        return Data(bytes)
    }

    @Test func textsAndNumbersOfEachFormAreRead() throws {
        let text = String(repeating: "a", count: 70)
        let shared = try PropertyList.read(list([[0xA2, 1, 1], [0x5F, 0x10, 70] + text.utf8]))
        #expect(shared == .array([.string(text), .string(text)]))
        func wide(_ high: UInt8, _ low: [UInt8]) throws -> PropertyListValue {
            try PropertyList.read(list([[0x14] + Array(repeating: high, count: 8) + low]))
        }
        #expect(try wide(0, [0, 0, 0, 0, 0, 0, 1, 2]) == .integer(258))
        #expect(try wide(0xFF, [255, 255, 255, 255, 255, 255, 255, 254]) == .integer(-2))
        for (high, low) in [(1, 0), (0xFF, 0)] as [(UInt8, UInt8)] {
            #expect(throws: ArchiveError.self) { try wide(high, Array(repeating: low, count: 8)) }
        }
    }

    @Test func listsThatContainThemselvesOrMultiplyAreRefused() throws {
        #expect(try PropertyList.read(list([[0xA1, 1], [0x51, 0x41]])) == .array([.string("A")]))
        #expect(throws: ArchiveError.self) { try PropertyList.read(list([[0xA1, 0]])) }
        #expect(throws: ArchiveError.self) { try PropertyList.read(list([[0xA1, 9]])) }
        // Each holds the next one twice: 2 to the power of 40 values.
        let doubled = (1...40).map { [0xA2, UInt8($0), UInt8($0)] as [UInt8] } + [[0x08]]
        #expect(throws: ArchiveError.self) { try PropertyList.read(list(doubled)) }
        // A count beyond the end.
        #expect(throws: ArchiveError.self) {
            try PropertyList.read(list([[0xAF, 0x13, 0x7F, 255, 255, 255, 255, 255, 255, 255]]))
        }
    }
}
