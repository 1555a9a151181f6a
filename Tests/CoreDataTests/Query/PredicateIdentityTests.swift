import Testing

@testable import CoreData

/// Equality, printing and archives of predicates, expressions and sort descriptors.
@Suite struct PredicateIdentityTests {
    nonisolated(unsafe) private static let constants: [Any] = [
        "x", "quote \" back \\ \n\t\u{0}é", 5, Int.min, -2.5, 1e300, Double.infinity, true,
        Date(timeIntervalSinceReferenceDate: 100.25),
        Date(timeIntervalSinceReferenceDate: -.infinity),
        Data([0, 255]), Data(),
        NSDecimalNumber(string: "10.50"), [1, 2], [String](), ["a", NSNull()] as [Any],
        UUID(uuid: (1, 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16)),
        Set(["a", "b", "c"]), NSNull(), Float(0.5), UInt8(3), "$null", ["a", "$null"],
        [1.5, -2], ["\r"], URL(fileURLWithPath: "/a b"),
    ]

    private func archived<Root: NSObject & NSSecureCoding>(_ root: Root) throws -> Root? {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: root,
            requiringSecureCoding: true
        )
        return try NSKeyedUnarchiver.unarchivedObject(ofClass: Root.self, from: data)
    }

    @Test(arguments: constants.indices)
    func constantsArePrintedAndArchived(_ index: Int) throws {
        let predicate = try NSPredicate.parse("a == %@", arguments: [Self.constants[index]])
        let printed = try NSPredicate.parse(predicate.formatString)
        #expect(printed == predicate, "\(predicate.formatString)")
        #expect(printed.hash == predicate.hash)
        let read = try #require(try archived(predicate))
        #expect(read == predicate, "\(read.formatString)")
        #expect(read is NSComparisonPredicate)
    }

    /// The order in which a set hands out its elements depends on where its storage lies.
    @Test func setsArePrintedAndArchivedInOneOrder() throws {
        let names = (0..<40).map { "name \($0)" }
        var sets: [Set<String>] = []
        for count in 0..<40 {
            var set = Set<String>(minimumCapacity: 40 + count * 40)
            for name in names { set.insert(name) }
            sets.append(set)
        }
        let first = try NSPredicate.parse("a IN %@", arguments: [sets[0]])
        for set in sets {
            let predicate = try NSPredicate.parse("a IN %@", arguments: [set])
            #expect(predicate.formatString == first.formatString)
            #expect(try NSPredicate.parse(first.formatString) == predicate)
            let bridged = NSSet(array: set.map { $0 as NSString })
            #expect(try NSPredicate.parse("a IN %@", arguments: [bridged]) == first)
            #expect(try archived(predicate) == first)
        }
    }

    @Test(arguments: PredicateParserTests.formats.indices)
    func formatsAreArchived(_ index: Int) throws {
        let (format, arguments, _) = PredicateParserTests.formats[index]
        let predicate = try NSPredicate.parse(format, arguments: arguments)
        let read = try #require(try archived(predicate))
        #expect(read == predicate)
        #expect(read.isEqual(predicate) || type(of: predicate) == NSPredicate.self)
    }

    @Test func compoundsOfFoundationCountByTheirParts() throws {
        let a = NSPredicate(format: "a == 1"), b = NSPredicate(format: "b == 2")
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b])
        let same = NSCompoundPredicate(andPredicateWithSubpredicates: [a, b])
        let either = NSCompoundPredicate(orPredicateWithSubpredicates: [a, b])
        #expect(both == same)
        #expect(both != either)
        #expect(both.formatString == "a == 1 AND b == 2")
        let parsed = NSPredicate(format: both.formatString)
        #expect(parsed == both && parsed.isEqual(both) && !parsed.isEqual(either))
        let nested = NSPredicate(format: "%@ OR %@", both, either)
        #expect(nested.formatString == "(a == 1 AND b == 2) OR (a == 1 OR b == 2)")
        let read = try #require(try archived(both))
        #expect(read == both && read.compoundPredicateType == .and)
        let none = NSCompoundPredicate(andPredicateWithSubpredicates: [])
        #expect(none.formatString == "TRUEPREDICATE")
        let nothing = NSCompoundPredicate(orPredicateWithSubpredicates: [])
        #expect(nothing.formatString == "FALSEPREDICATE")
        let one = NSCompoundPredicate(orPredicateWithSubpredicates: [a])
        #expect(a == one)
        #expect(NSCompoundPredicate(andPredicateWithSubpredicates: []) == NSPredicate(value: true))
        #expect(NSPredicate(value: true) != NSPredicate(value: false))
    }

    @Test func foreignArchivesAreRefused() throws {
        for content: [String: Any] in [
            ["NSPredicateFormat": "a ==", "NSPredicateArguments": []],
            ["NSPredicateFormat": "a == %@", "NSPredicateArguments": []],
            ["NSPredicateArguments": []], ["NSPredicateFormat": 5],
        ] {
            let archiver = NSKeyedArchiver(requiringSecureCoding: true)
            for (key, value) in content { archiver.encode(value, forKey: key) }
            let coder = try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData)
            coder.decodingFailurePolicy = .setErrorAndReturn
            coder.requiresSecureCoding = true
            #expect(NSPredicate(coder: coder) == nil)
        }
    }

    @Test func expressionsAndSortDescriptorsAreArchived() throws {
        let expression = NSExpression(format: "sum:(a.b) + %@", 5)
        #expect(try archived(expression) == expression)
        let variable = NSExpression(forVariable: "null")
        #expect(try archived(variable) == variable)
        let fetch = NSFetchRequestExpression.expression(
            forFetch: NSExpression(forVariable: "REQUEST"),
            context: NSExpression(forVariable: "CONTEXT"),
            countOnly: true
        )
        #expect(fetch.description == "FETCH($REQUEST, $CONTEXT, YES)")
        #expect(NSExpression(format: fetch.description) == fetch)
        let sort = NSSortDescriptor(
            key: "a.b",
            ascending: false,
            selector: "localizedStandardCompare:"
        )
        let read = try #require(try archived(sort))
        #expect(read == sort && read.key == "a.b" && !read.ascending)
        #expect(read.selector?.description == "localizedStandardCompare:")
    }

    @Test(arguments: [
        "a.b c", "a..b", "", "OR", "a.in.@count", "ä", "@max.x", "a\"b", "1a", "SELF.x",
    ])
    func anyKeyIsPrinted(_ key: String) throws {
        let predicate = NSComparisonPredicate(
            leftExpression: NSExpression(.keyPath(operand: nil, path: key)),
            rightExpression: NSExpression(forConstantValue: 1),
            modifier: .direct,
            type: .equalTo
        )
        guard !key.isEmpty, key != "SELF.x" else { return }
        #expect(try NSPredicate.parse(predicate.predicateFormat) == predicate)
    }

    /// Found by the fuzzer: one path, put together in two ways.
    @Test func pathsOfPathsAreOne() throws {
        let predicate = try NSPredicate.parse("FUNCTION(a, 'valueForKeyPath:', 'b c') == 1")
        #expect(try NSPredicate.parse(predicate.formatString) == predicate)
        #expect(
            try NSPredicate.parse("FUNCTION(a, 'valueForKey:', 'b') == 1")
                == NSPredicate.parse("a.b == 1")
        )
    }

    /// They say what they are; what they print does not parse back.
    @Test func whatNoFormatSaysIsPrintedByItsKind() {
        let block = NSExpression(block: { _, _, _ in 1 }, arguments: nil)
        #expect(block.description == "BLOCK")
        #expect(NSExpression(forConstantValue: NSNull()).description == "nil")
        let thread = Thread.current
        #expect(NSExpression(forConstantValue: thread).description == "\(thread)")
        let selected = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "a"),
            rightExpression: block,
            modifier: .direct,
            type: .customSelector
        )
        #expect(selected.predicateFormat == "a CUSTOM BLOCK")
    }

    @Test func setOperationsAreWritten() throws {
        let predicate = try NSPredicate.parse("2 IN (a UNION {2} MINUS b) AND ANYKEY == 1")
        #expect(
            predicate.formatString == "2 IN ((a UNION {2}) MINUS b) AND ANYKEY == 1"
        )
        #expect(try NSPredicate.parse(predicate.formatString) == predicate)
        let values: [String: Any] = ["a": [1], "b": [3]]
        #expect(try NSPredicate.parse("2 IN (a UNION {2} MINUS b)").evaluate(with: values))
        #expect(try !NSPredicate.parse("2 IN (a INTERSECT {2})").evaluate(with: values))
    }

    @Test func variablesThatAreObjectsAreFollowed() throws {
        let source: [String: Any] = ["name": "Ada", "boss": ["name": "Bea"]]
        let predicate = NSPredicate(format: "name == $SOURCE.boss.name")
            .withSubstitutionVariables(["SOURCE": source])
        #expect(predicate.formatString == "name == \"Bea\"")
    }

    @Test func collectionsOfFoundationAreFilteredAndSorted() {
        let rows: [[String: Any]] = [["n": 2], ["n": 1], ["n": 3], [:]]
        let predicate = NSPredicate(format: "n > 1")
        let array = rows as NSArray
        #expect(array.filtered(using: predicate).count == 2)
        let mutable = NSMutableArray(array: rows)
        mutable.filter(using: predicate)
        #expect(mutable.count == 2)
        let set = NSSet(array: [1, 2, 3])
        #expect(set.filtered(using: NSPredicate(format: "SELF > 1")).count == 2)
        let ordered = NSOrderedSet(array: [3, 1, 2])
        #expect(ordered.filtered(using: NSPredicate(format: "SELF > 1")).array as? [Int] == [3, 2])
        let sort = [NSSortDescriptor(key: "n", ascending: false)]
        let sorted = array.sortedArray(using: sort)
        #expect(sorted.map { ($0 as? [String: Any])?["n"] as? Int } == [3, 2, 1, nil])
        mutable.sort(using: [NSSortDescriptor(key: "n", ascending: true)])
        #expect((mutable[0] as? [String: Any])?["n"] as? Int == 2)
        let byItself = NSSortDescriptor(key: nil, ascending: true)
        #expect((Set([3, 1, 2]) as NSSet).sortedArray(using: [byItself]) as? [Int] == [1, 2, 3])
    }

    @Test func keyPathsOfGeneratedClassesHaveNames() {
        #expect(NSSortDescriptor(keyPath: \Sheet.title, ascending: true).key == "title")
        #expect(NSExpression(forKeyPath: \Sheet.pages).keyPath == "pages")
        #expect(NSExpression(forKeyPath: \Cover.title).keyPath == "title")
        let predicate = NSPredicate(format: "%K == 5", \Sheet.pages)
        #expect(predicate.formatString == "pages == 5")
    }
}

private class Sheet: NSObject, PropertyNaming {
    var title: String? { nil }
    var pages: Int { 0 }
    class var propertyNames: [AnyKeyPath: String] {
        [\Sheet.title: "title", \Sheet.pages: "pages"]
    }
}

private final class Cover: Sheet {
    override class var propertyNames: [AnyKeyPath: String] {
        [\Cover.title: "title", \Cover.pages: "pages"]
    }
}
