import Testing

@testable import CoreData

/// Archives of Foundation's values that are damaged, or of another shape than those written here.
@Suite struct DamagedValueTests {
    private func read(_ crafted: CraftedValue) throws -> Any? {
        try TransformableValue.value(
            of: crafted.archive,
            allowing: TransformableValue.safeClasses + [NSMutableData.self, NSMutableString.self]
        )
    }

    private static func attributed(_ fields: [String: CraftedValue]) -> CraftedValue {
        .object("NSAttributedString", fields.merging(["NSString": "abc"]) { own, _ in own })
    }

    private static func decimal(_ fields: [String: CraftedValue]) -> CraftedValue {
        .object(
            "NSDecimalNumber",
            fields.merging(["NS.exponent": 0, "NS.length": 1, "NS.mantissa": .data(1, 2)]) {
                own,
                _ in own
            }
        )
    }

    private static let noAttributes = [:] as CraftedValue

    /// What is damaged, and the field that the error names.
    private static let damaged: [(CraftedValue, String)] = [
        (.object("NSString"), "NS.string"),
        (.object("NSString", ["NS.string": 7]), "NS.string"),
        (.object("NSString", ["NS.bytes": .data(0xFF)]), "NS.string"),
        (.object("NSMutableString", ["NS.string": .object("NSNull")]), "NS.string"),
        (.object("NSData", ["NS.data": "text"]), "NS.data"),
        (.object("NSData", ["NS.data": .object("NSData", ["NS.data": 7])]), "NS.data"),
        (.object("NSDate", ["NS.time": "noon"]), "NS.time"),
        (.object("NSNumber", ["NS.boolval": "yes"]), "NS.boolval"),
        (.object("NSNumber", ["NS.boolval": .object("NSNull")]), "NS.boolval"),
        (.object("NSNumber", ["NS.intval": 1.5]), "NS.intval"),
        (.object("NSNumber"), "NS.dblval"),
        (decimal(["NS.length": 9]), "NS.mantissa"),
        (decimal(["NS.length": 2]), "NS.mantissa"),
        (.object("NSUUID", ["NS.uuidbytes": .data(1, 2, 3)]), "NS.uuidbytes"),
        (.object("NSIndexSet", ["NSRangeCount": 1]), "NSRangeData"),
        (.object("NSIndexSet", ["NSRangeCount": 1, "NSLocation": 3]), "NSRangeData"),
        (
            .object(
                "NSIndexSet",
                ["NSRangeCount": 1, "NSLocation": 3, "NSLength": .plain(.integer(.max))]
            ), "NSRangeData"
        ),
        (.object("NSIndexSet", ["NSRangeCount": 2, "NSRangeData": .data(1, 2, 3)]), "NSRangeData"),
        (.object("NSIndexSet", ["NSRangeCount": 2, "NSRangeData": .data(0x81)]), "NSRangeData"),
        (
            .object(
                "NSIndexPath",
                [
                    "NSIndexPathLength": 2,
                    "NSIndexPathData": .plain(.data(Data(repeating: 0xFF, count: 10))),
                ]
            ), "NSIndexPathData"
        ),
        (.object("NSTimeZone"), "NS.name"),
        (.object("NSTimeZone", ["NS.name": "Utopia/Nowhere"]), "NS.name"),
        (.object("NSURL", ["NS.base": .nothing]), "NS.relative"),
        (attributed(["NSString": .nothing]), "NSString"),
        (attributed(["NSAttributes": ["bold"], "NSAttributeInfo": .data()]), "NSAttributes"),
        (attributed(["NSAttributes": [7: "bold"]]), "NS.keys"),
        (
            attributed(["NSAttributes": [noAttributes], "NSAttributeInfo": .data(3)]),
            "NSAttributeInfo"
        ),
        (
            attributed(["NSAttributes": [noAttributes], "NSAttributeInfo": .data(3, 1)]),
            "NSAttributeInfo"
        ),
        (
            attributed(["NSAttributes": [noAttributes], "NSAttributeInfo": .data(4, 0)]),
            "NSAttributeInfo"
        ),
    ]

    @Test(arguments: damaged.indices)
    func damagedFieldsAreNamed(_ index: Int) throws {
        let (crafted, field) = Self.damaged[index]
        let error = #expect(throws: ArchiveError.self) { try read(crafted) }
        #expect(error?.reason.contains("the field \(field) of an object of class") == true)
    }

    /// Archives of other frameworks and years, and the objects that come out of them.
    private static func otherShapes() throws -> [(CraftedValue, NSObject)] {
        let base = CraftedValue.object("NSURL", ["NS.relative": "https://example.org/a/"])
        let bold = NSAttributedString(string: "abc", attributes: [.init("weight"): "bold"])
        let date = NSDate(timeIntervalSinceReferenceDate: 3)
        return [
            (.object("NSString", ["NS.bytes": .data(0x67, 0xC3, 0xBC)]), "gü" as NSString),
            (.object("NSMutableString", ["NS.string": "x"]), NSMutableString(string: "x")),
            (
                .object("NSData", ["NS.data": .object("NSMutableData", ["NS.data": .data(1)])]),
                Data([1]) as NSData
            ),
            (
                .object("NSMutableData", ["NS.data": .data(1, 2)]),
                NSMutableData(data: Data([1, 2]))
            ),
            (.object("NSDate", ["NS.time": .plain(.date(3))]), date),
            (.object("NSDate", ["NS.time": 3]), date), (.plain(.date(3)), date),
            (.object("NSNumber", ["NS.boolval": true]), NSNumber(value: true)),
            (.object("NSNumber", ["NS.boolval": 1]), NSNumber(value: true)),
            (.object("NSNumber", ["NS.intval": 7]), NSNumber(value: 7)),
            (.object("NSNumber", ["NS.intval": 7.0]), NSNumber(value: 7)),
            (.object("NSNumber", ["NS.dblval": 1.5]), NSNumber(value: 1.5)),
            (.plain(.unsigned(.max)), NSNumber(value: UInt64.max)),
            (decimal([:]), NSDecimalNumber(value: 513)),
            (decimal(["NS.mantissa.bo": 2]), NSDecimalNumber(value: 258)),
            (decimal(["NS.length": 0]), NSDecimalNumber.zero),
            (.object("NSIndexSet"), NSIndexSet()), (.object("NSIndexPath"), NSIndexPath()),
            (
                .object("NSIndexPath", ["NSIndexPathLength": 1, "NSIndexPathValue": 4]),
                NSIndexPath(index: 4)
            ),
            (.object("NSLocale"), NSLocale(localeIdentifier: "")),
            (
                .object("NSURL", ["NS.base": base, "NS.relative": "b"]),
                try #require(NSURL(string: "b", relativeTo: URL(string: "https://example.org/a/")))
            ),
            (attributed([:]), NSAttributedString(string: "abc")),
            (attributed(["NSAttributes": ["weight": "bold"]]), bold),
            (
                attributed([
                    "NSAttributes": [["weight": "bold"]],
                    "NSAttributeInfo": .data(3, 0),
                ]), bold
            ),
        ]
    }

    @Test func valuesOfOtherShapesAreRead() throws {
        for (crafted, expected) in try Self.otherShapes() {
            let value = try #require(try read(crafted) as? NSObject)
            #expect(value == expected, "\(expected)")
        }
        let notANumber = try read(Self.decimal(["NS.length": 0, "NS.negative": true]))
        #expect((notANumber as? NSDecimalNumber)?.decimalValue.isNaN == true)
        let mutable = CraftedValue.object("NSMutableAttributedString", ["NSString": "abc"])
        let text = try read(mutable) as? NSMutableAttributedString
        text?.append(NSAttributedString(string: "d"))
        #expect(text?.string == "abcd")
    }
}
