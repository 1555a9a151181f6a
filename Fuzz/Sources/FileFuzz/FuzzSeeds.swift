import Foundation

@testable import CoreData

/// What libFuzzer starts from, made by the project's own writers.
enum FuzzSeeds {
    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../Corpus").standardizedFileURL

    /// The source of a model with a part of each kind.
    static func source() throws -> Data {
        try Data(contentsOf: corpus.appendingPathComponent("Parts.xcdatamodel/contents"))
    }

    static func model() throws -> NSManagedObjectModel { try loaded.get() }

    private static let loaded = Result {
        try NSManagedObjectModel(readingFrom: corpus.appendingPathComponent("Parts.xcdatamodel"))
    }

    static var list: [String: Any] {
        [
            "text": "grüße", "plain": "text", "number": 7, "negative": -1, "large": UInt64.max,
            "real": 1.5, "flag": true, "day": Date(timeIntervalSinceReferenceDate: 9),
            "bytes": Data(repeating: 3, count: 32), "list": ["a", ["b": ["c"]]] as [Any],
        ]
    }

    static let markupList = """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/x.dtd">
        <plist version="1.0"><dict>
        <key>a</key><string>&lt;b&#x41;<![CDATA[<]]></string><key>i</key><integer>-7</integer>
        <key>h</key><integer>0xFF</integer><key>r</key><real>1.5e3</real><key>t</key><true/>
        <key>d</key><date>2001-02-28T23:59:59Z</date><key>b</key><data>AAEC</data>
        <key>l</key><array><false/><dict><key>CF$UID</key><integer>1</integer></dict></array>
        <!-- end --></dict></plist>
        """

    static func values() -> [Any] {
        [
            "grüße" as NSString, NSNumber(value: true), NSNumber(value: 1.25),
            NSDecimalNumber(string: "-12345678901234567890.123456"),
            NSDate(timeIntervalSinceReferenceDate: 7.5), Data([1, 2, 3]) as NSData,
            UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4, 5, 6)) as NSUUID,
            NSArray(array: ["a", 1, ["b": Data()], NSNull()] as [Any]), NSSet(array: [1, "x"]),
            NSOrderedSet(array: ["z", "a"]), NSDictionary(dictionary: ["k": ["x"], "l": 2]),
        ]
    }

    /// Archives of classes that are read and not written, by the fields of Apple's.
    static func archivesOfOthers() -> [Data] {
        let numbers = Data([1, 2, 0x80, 1, 3])
        let others: [(name: String, fields: [String: PropertyListValue])] = [
            (
                "NSIndexSet",
                ["NSRangeCount": .integer(2), "NSRangeData": .data(Data([1, 2, 9, 3]))]
            ),
            (
                "NSIndexSet",
                ["NSRangeCount": .integer(1), "NSLocation": .integer(3), "NSLength": .integer(4)]
            ),
            ("NSIndexPath", ["NSIndexPathLength": .integer(4), "NSIndexPathData": .data(numbers)]),
        ]
        var archives = others.map { name, fields in
            let builder = KeyedArchiveBuilder()
            return builder.data(root: builder.object([name, "NSObject"], fields))
        }
        let named = [
            ("NSTimeZone", "NS.name", "Europe/Zurich"), ("NSLocale", "NS.identifier", "de_CH"),
        ]
        archives += named.map { name, key, text in
            let builder = KeyedArchiveBuilder()
            return builder.data(
                root: builder.object([name, "NSObject"], [key: builder.string(text)])
            )
        }
        return archives + [url(), attributedString()]
    }

    private static func url() -> Data {
        let builder = KeyedArchiveBuilder()
        let base = builder.object(
            ["NSURL", "NSObject"],
            ["NS.base": KeyedArchiveBuilder.null, "NS.relative": builder.string("https://a.b/c/")]
        )
        return builder.data(
            root: builder.object(
                ["NSURL", "NSObject"],
                ["NS.base": base, "NS.relative": builder.string("../d?e=%20f")]
            )
        )
    }

    private static func attributedString() -> Data {
        let builder = KeyedArchiveBuilder()
        let bold = builder.dictionary([(builder.string("weight"), builder.string("bold"))])
        return builder.data(
            root: builder.object(
                ["NSAttributedString", "NSObject"],
                [
                    "NSString": builder.string("text"),
                    "NSAttributes": builder.array([bold, builder.dictionary([])]),
                    "NSAttributeInfo": .data(Data([1, 0, 3, 1])),
                ]
            )
        )
    }

    /// A DEFLATE stream of one block that is not compressed, so that mutations get through to what
    /// it holds.
    static func stored(_ data: Data) -> Data {
        let (count, check) = (UInt16(data.count), ~UInt16(data.count))
        var stream = Data([1])
        for number in [count, check] {
            stream.append(UInt8(number & 0xFF))
            stream.append(UInt8(number >> 8))
        }
        return stream + data
    }
}

extension FuzzedFormat {
    /// Inputs that this format reads without an error.
    func seeds() throws -> [Data] {
        switch self {
        case .list:
            let list = PropertyListValue(FuzzSeeds.list) ?? .dictionary([:])
            return [BinaryPropertyListWriter.data(list), Data(FuzzSeeds.markupList.utf8)]
        case .archive:
            return try FuzzSeeds.values().map { try TransformableValue.archive($0) }
                + FuzzSeeds.archivesOfOthers()
        case .compiled: return [ModelArchiveWriter.data(try FuzzSeeds.model(), .compiled).data]
        case .source: return [try FuzzSeeds.source()]
        case .versions:
            let lists: [[String: Any]] = [
                [
                    "NSManagedObjectModel_CurrentVersionName": "Parts 2",
                    "NSManagedObjectModel_VersionHashes": [
                        "Parts": ["Part": Data(count: 32)], "Parts 2": ["Part": Data(count: 32)],
                    ],
                ],
                ["_XCCurrentVersionName": "Parts.xcdatamodel"],
            ]
            return lists.compactMap { PropertyListValue($0).map(BinaryPropertyListWriter.data) }
                + [
                    Data(
                        """
                        <plist version="1.0"><dict><key>_XCCurrentVersionName</key>
                        <string>Parts 2.xcdatamodel</string></dict></plist>
                        """.utf8
                    )
                ]
        case .cache:
            let archive = ModelArchiveWriter.data(try FuzzSeeds.model(), .cached).data
            return [Deflater.deflate(archive), FuzzSeeds.stored(archive)]
        case .metadata:
            let entities = try FuzzSeeds.model().layout.entities
            let metadata = StoreMetadata(entities: entities)
            return PropertyListValue(metadata.values).map { [BinaryPropertyListWriter.data($0)] }
                ?? []
        }
    }
}
