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

    @Test func whatHasNoArchiveIsAnError() {
        #expect(throws: CocoaError.self) { try TransformableValue.archive(Thread.current) }
    }
}
