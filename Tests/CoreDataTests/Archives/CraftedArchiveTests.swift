import Foundation
import Testing

@testable import CoreData

/// Archives of values that are put together by hand: what Foundation's classes don't stand.
@Suite struct CraftedArchiveTests {
    private typealias Field = PropertyListValue

    private func read(_ data: Data) throws -> Any? {
        try TransformableValue.value(of: data, allowing: TransformableValue.safeClasses)
    }

    private func archive(_ make: (KeyedArchiveBuilder) throws -> Field) rethrows -> Data {
        let builder = KeyedArchiveBuilder()
        return builder.data(root: try make(builder))
    }

    @Test func decimalsAreReadInSetsAndAsKeys() throws {
        let texts = ["1.5", "12345678901234567890.123456", "-7"]
        let numbers = texts.map { NSDecimalNumber(string: $0) }
        let set = try archive { builder in
            builder.set(
                try numbers.map { try builder.value($0) } + [try builder.value(NSNumber(value: 1))]
            )
        }
        let elements = try #require(try read(set) as? NSSet)
        #expect(elements.count == 4)
        for number in numbers {
            let same = elements.first {
                ($0 as? NSDecimalNumber)?.decimalValue == number as Decimal
            }
            #expect(same is NSDecimalNumber)
        }
        #expect(elements.contains(NSNumber(value: 1.5)) && elements.contains(NSNumber(value: -7)))
        #expect(elements.isEqual(try read(set)))
        // As they are read they are written.
        #expect(try (read(TransformableValue.archive(elements)) as? NSSet) == elements)

        let dictionary = try archive { builder in
            builder.dictionary(
                try numbers.map { (key: try builder.value($0), value: builder.string("x")) }
            )
        }
        let entries = try #require(try read(dictionary) as? NSDictionary)
        #expect(entries.count == 3 && entries.object(forKey: NSNumber(value: 1.5)) != nil)
        let ordered = try archive { builder in
            var fields: [String: Field] = [:]
            for (index, number) in numbers.enumerated() {
                fields["NS.object.\(index)"] = try builder.value(number)
            }
            return builder.object(["NSOrderedSet", "NSObject"], fields)
        }
        #expect((try read(ordered) as? NSOrderedSet)?.count == 3)
    }

    /// Required of every number; they give what Foundation's own initializers give.
    @Test func decimalsThatAreHashedAreMadeOfAnything() {
        let integer: HashableDecimalNumber = 7, real: HashableDecimalNumber = 1.5
        let flags: [HashableDecimalNumber] = [true, false]
        #expect(integer.decimalValue == 7 && real.decimalValue == 1.5)
        #expect(flags.map(\.decimalValue) == [1, 0])
        var bits: Int32 = -3
        let number = HashableDecimalNumber(bytes: &bits, objCType: NSNumber(value: bits).objCType)
        #expect(number.decimalValue == -3)
        #expect(integer.isEqual(NSNumber(value: 7)) && !integer.isEqual("7"))
    }

    /// All data below has the same hash, which takes in its beginning only.
    @Test func elementsThatAreAllAlikeAreRefused() throws {
        let start = Data(repeating: 7, count: 1024)
        let alike = archive { builder in
            builder.set((0..<4000).map { builder.plain(.data(start + Data("\($0)".utf8))) })
        }
        #expect(throws: ArchiveError.self) { try read(alike) }
        let few = archive { builder in
            builder.set((0..<40).map { builder.plain(.data(start + Data("\($0)".utf8))) })
        }
        #expect((try read(few) as? NSSet)?.count == 40)
    }

    @Test func keysThatAreAllAlikeAreRefused() throws {
        // Numbers beyond the integers have the hash 0.
        let keys = archive { builder in
            builder.dictionary(
                (0..<10_000).map {
                    (key: builder.plain(.real(1e300 * Double($0 + 1))), value: builder.string("x"))
                }
            )
        }
        #expect(throws: ArchiveError.self) { try read(keys) }
        let sets = archive { builder in
            builder.set(
                (0..<1000).map { x in
                    builder.set([builder.plain(.integer(Int64(x))), builder.plain(.integer(-1))])
                }
            )
        }
        #expect((try read(sets) as? NSSet)?.count == 1000)
    }

    /// Comparing such a set, or going through it inside of another collection, stops the process.
    @Test func arraysAndDictionariesAreNoElementsOfSets() throws {
        let array = NSArray(array: [1]), dictionary = NSDictionary(dictionary: ["a": 1])
        for value in [array, dictionary] {
            let set = try archive { $0.set([try $0.value(value)]) }
            #expect(throws: ArchiveError.self) { try read(set) }
            let keyed = try archive {
                $0.dictionary([(key: try $0.value(value), value: $0.string("x"))])
            }
            #expect(throws: ArchiveError.self) { try read(keyed) }
            #expect(throws: CocoaError.self) {
                try TransformableValue.archive(NSSet(array: [value]))
            }
        }
        let ordered = try TransformableValue.archive(NSOrderedSet(array: [array]))
        #expect((try read(ordered) as? NSOrderedSet)?.count == 1)
    }

    @Test func rangesOfIndexesMayStandInAnyOrder() throws {
        let numbers: [UInt8] = [9, 2, 1, 3, 2, 4]
        let data = archive { builder in
            builder.object(
                ["NSIndexSet", "NSObject"],
                ["NSRangeCount": .integer(3), "NSRangeData": .data(Data(numbers))]
            )
        }
        let indexes = try #require(try read(data) as? NSIndexSet)
        #expect((indexes as IndexSet) == IndexSet([1, 2, 3, 4, 5, 9, 10]))
    }

    /// Printing such a date stops the process, and so does a dictionary that has it as a key.
    @Test func datesThatAreNoNumbersAreRefused() throws {
        let date = NSDate(timeIntervalSinceReferenceDate: .nan)
        #expect(throws: CocoaError.self) { try TransformableValue.archive(NSSet(array: [date])) }
        let crafted = archive { builder in
            builder.array([builder.object(["NSDate", "NSObject"], ["NS.time": .real(.nan)])])
        }
        #expect(throws: ArchiveError.self) { try read(crafted) }
        let list = BinaryPropertyListWriter.data(.dictionary(["date": .date(.nan)]))
        #expect(throws: ArchiveError.self) { try PropertyList.read(list) }
        let late = NSDate(timeIntervalSinceReferenceDate: 1e300)
        let set = NSSet(array: [late, NSDate(timeIntervalSinceReferenceDate: .infinity)])
        #expect((try read(TransformableValue.archive(set)) as? NSSet)?.count == 2)
    }

    /// An attributed string whose characters alternate between two dictionaries.
    private func attributedString(
        characterCount: Int,
        attributeCount: Int
    ) -> (KeyedArchiveBuilder) -> PropertyListValue {
        { builder in
            let dictionaries = ["x", "y"].map { value in
                builder.dictionary(
                    (0..<attributeCount).map {
                        (key: builder.string("\($0)"), value: builder.string(value))
                    }
                )
            }
            let runs = (0..<characterCount).flatMap { [UInt8(1), UInt8($0 % 2)] }
            return builder.object(
                ["NSAttributedString", "NSObject"],
                [
                    "NSString": builder.string(String(repeating: "a", count: characterCount)),
                    "NSAttributes": builder.array(dictionaries),
                    "NSAttributeInfo": .data(Data(runs)),
                ]
            )
        }
    }

    /// Each of many runs brings all of many attributes, of which each costs Foundation microseconds.
    @Test func attributedStringsDoNotGrowWithoutEnd() throws {
        let data = archive(attributedString(characterCount: 200, attributeCount: 3_000))
        #expect(throws: ArchiveError.self) { try read(data) }
    }

    @Test func attributedStringsOfManyRunsAreRead() throws {
        let data = archive(attributedString(characterCount: 2_000, attributeCount: 5))
        let text = try #require(try read(data) as? NSAttributedString)
        #expect(text.length == 2_000)
        for index in [0, 1_999] {
            let value = text.attribute(.init("4"), at: index, effectiveRange: nil) as? String
            #expect(value == ["x", "y"][index % 2])
        }
    }
}
