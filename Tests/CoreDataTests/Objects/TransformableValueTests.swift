import Foundation
import Testing

@testable import CoreData

private final class Card: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    let title: String
    let tags: [String]
    let weight: Double
    let next: Card?

    init(title: String, tags: [String], weight: Double, next: Card? = nil) {
        (self.title, self.tags, self.weight, self.next) = (title, tags, weight, next)
    }
    init?(coder: NSCoder) {
        guard let title = coder.decodeObject(of: NSString.self, forKey: "title") else { return nil }
        self.title = String(describing: title)
        tags =
            coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "tags") as? [String] ?? []
        weight = coder.decodeDouble(forKey: "weight")
        next = coder.decodeObject(of: Card.self, forKey: "next")
    }
    func encode(with coder: NSCoder) {
        coder.encode(title as NSString, forKey: "title")
        coder.encode(NSArray(array: tags), forKey: "tags")
        coder.encode(weight, forKey: "weight")
        coder.encode(next, forKey: "next")
    }
}

/// A field of each type that coders have.
private final class Instrument: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    var isOn = false
    var small: Int32 = 0
    var large: Int64 = 0
    var short: Float = 0
    var bytes: [UInt8]?
    var list: NSArray?

    override init() { super.init() }
    init?(coder: NSCoder) {
        guard coder.allowsKeyedCoding, coder.requiresSecureCoding else { return nil }
        super.init()
        isOn = coder.decodeBool(forKey: "isOn")
        small = coder.decodeInt32(forKey: "small")
        large = coder.decodeInt64(forKey: "large")
        short = coder.decodeFloat(forKey: "short")
        bytes = coder.withDecodedUnsafeBufferPointer(forKey: "bytes") { $0.map { Array($0) } }
        list = coder.decodePropertyList(forKey: "list") as? NSArray
    }
    func encode(with coder: NSCoder) {
        coder.encode(isOn, forKey: "isOn")
        coder.encode(small, forKey: "small")
        coder.encode(large, forKey: "large")
        coder.encode(short, forKey: "short")
        bytes?.withUnsafeBufferPointer {
            coder.encodeBytes($0.baseAddress, length: $0.count, forKey: "bytes")
        }
        coder.encodeConditionalObject(list, forKey: "list")
    }
}

/// Says that a number is small, and writes one that is not.
private final class Overstated: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }

    override init() { super.init() }
    init?(coder: NSCoder) {
        super.init()
        _ = coder.decodeInt32(forKey: "number")
    }
    func encode(with coder: NSCoder) { coder.encode(Int64(1) << 40, forKey: "number") }
}

@Suite struct TransformableValueTests {
    private static func values() -> [Any] {
        [
            "grüße" as NSString, "$null" as NSString, NSNumber(value: true), NSNumber(value: -7),
            NSNumber(value: 1.25), NSDecimalNumber(string: "-12345678901234567890.123456"),
            NSDate(timeIntervalSinceReferenceDate: 7.5), Data([1, 2, 3]) as NSData,
            UUID() as NSUUID, NSURL(string: "https://example.org/a?b=c") ?? NSNull(), NSNull(),
            NSArray(array: ["a", 1, ["b": Data()]]), NSSet(array: [1, 2, 3]),
            NSOrderedSet(array: ["z", "a"]), NSDictionary(dictionary: ["k": ["x", "y"], "l": 2]),
            NSDictionary(dictionary: ["$null": ["$null", "$null"]]),
        ]
    }

    @Test func valuesComeBackFromTheirArchives() throws {
        for value in Self.values() {
            let data = try TransformableValue.archive(value)
            let read = try TransformableValue.value(
                of: data,
                allowing: FoundationArchive.propertyListClasses
            )
            #expect((read as? NSObject) == (value as? NSObject), "\(value)")
            #expect(try TransformableValue.archive(value) == data)
        }
    }

    @Test func archivesAreThoseOfFoundation() throws {
        let value = NSDictionary(dictionary: ["list": ["a", "b"], "number": 7, "flag": true])
        let theirs = try NSKeyedArchiver.archivedData(
            withRootObject: value,
            requiringSecureCoding: true
        )
        let classes = FoundationArchive.propertyListClasses
        #expect(
            try TransformableValue.value(of: theirs, allowing: classes) as? NSDictionary == value
        )
        let ours = try TransformableValue.archive(value)
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: ours)
        #expect(read as? NSDictionary == value)
    }

    @Test func objectsOfAllowedClassesComeBack() throws {
        let second = Card(title: "second", tags: [], weight: 0)
        let first = Card(title: "first", tags: ["a", "b"], weight: 2.5, next: second)
        let data = try TransformableValue.archive(NSArray(array: [first, first]))
        let classes: [AnyClass] = [NSArray.self, Card.self]
        let read = try TransformableValue.value(of: data, allowing: classes) as? [Card]
        #expect(read?[0].title == "first" && read?[0].tags == ["a", "b"])
        #expect(read?[0].weight == 2.5 && read?[0].next?.title == "second")
        #expect(read?[0] === read?[1])
        #expect(throws: ArchiveError.self) {
            try TransformableValue.value(of: data, allowing: [NSArray.self])
        }
    }

    @Test func fieldsOfEachTypeComeBack() throws {
        let full = Instrument(), empty = Instrument()
        (full.isOn, full.small, full.large, full.short) = (true, -7, 1 << 40, 0.5)
        (full.bytes, full.list) = ([1, 0, 255], ["a", 1])
        let read = try TransformableValue.value(
            of: TransformableValue.archive(NSArray(array: [full, empty])),
            allowing: FoundationArchive.propertyListClasses + [Instrument.self]
        )
        let instruments = try #require(read as? [Instrument])
        #expect(instruments[0].isOn && instruments[0].small == -7)
        #expect(instruments[0].large == 1 << 40 && instruments[0].short == 0.5)
        #expect(instruments[0].bytes == [1, 0, 255] && instruments[0].list == ["a", 1])
        #expect(!instruments[1].isOn && instruments[1].short == 0 && instruments[1].bytes == nil)
        #expect(instruments[1].list == nil)
        let data = try TransformableValue.archive(Overstated())
        #expect(throws: ArchiveError.self) {
            try TransformableValue.value(of: data, allowing: [Overstated.self])
        }
    }

    @Test func otherClassesOfFoundationComeBack() throws {
        let several = NSMutableIndexSet(indexesIn: NSRange(location: 2, length: 3))
        several.add(70_000)
        let values: [NSObject] = [
            NSIndexSet(), NSIndexSet(index: 5), several, NSIndexPath(index: 3),
            NSIndexPath(indexes: [1, 300, 2], length: 3), NSIndexPath(indexes: [], length: 0),
            NSLocale(localeIdentifier: "de_CH"),
            try #require(NSTimeZone(name: "Europe/Zurich")),
        ]
        for value in values {
            let read = try TransformableValue.value(
                of: TransformableValue.archive(value),
                allowing: [type(of: value)]
            )
            #expect(read as? NSObject == value, "\(value)")
        }
    }

    @Test func mutableClassesComeBackAsSuch() throws {
        func copied<Value: NSObject>(_ value: Value) throws -> Value? {
            let data = try TransformableValue.archive(value)
            let classes: [AnyClass] = [Value.self] + FoundationArchive.propertyListClasses
            // Who allows the mutable class alone gets it, too.
            #expect(throws: Never.self) {
                try TransformableValue.value(of: data, allowing: [Value.self, NSNumber.self])
            }
            return try TransformableValue.value(of: data, allowing: classes) as? Value
        }
        #expect(try copied(NSMutableArray(array: [1, 2])) == NSMutableArray(array: [1, 2]))
        #expect(try copied(NSMutableSet(array: [1, 2])) == NSMutableSet(array: [1, 2]))
        let ordered = NSMutableOrderedSet(array: [2, 1])
        #expect(try copied(ordered) == ordered)
        let dictionary = NSMutableDictionary(dictionary: [1: 2])
        #expect(try copied(dictionary) == dictionary)
    }

    @Test func whatHasNoArchiveIsAnError() {
        #expect(throws: CocoaError.self) { try TransformableValue.archive(Thread.current) }
    }
}
