import Foundation
import Testing

@testable import CoreData

@Suite struct PredicateTranslatorTests {
    private func condition(_ format: String, _ arguments: [Any] = []) throws -> SQLFragment {
        let fixture = try QueryFixture(seed: 1, count: 3)
        let translator = PredicateTranslator(
            model: fixture.model,
            layout: fixture.person,
            naming: FixtureNaming()
        )
        return try translator.condition(try NSPredicate.parse(format, arguments: arguments))
    }

    @Test(arguments: [
        ("name == 'a'", "t0.ZNAME = ?"), ("name == nil", "t0.ZNAME IS NULL"),
        ("name != 'a'", "t0.ZNAME IS NOT ?"), ("NOT name == 'a'", "t0.ZNAME IS NOT ?"),
        ("NOT age > 5", "((t0.ZAGE > ?) IS NOT TRUE)"),
        ("name BEGINSWITH 'ab'", "(t0.ZNAME >= ? AND t0.ZNAME < ?)"),
        ("name ==[c] 'A'", "MS_FOLD(t0.ZNAME, 1) = ?"),
        ("age IN {1, 2}", "t0.ZAGE IN (?, ?)"), ("5 < age", "t0.ZAGE > ?"),
        ("boss.name == 'a'", "t1.ZNAME = ?"),
        // The sum of what can't be added is a number, and no constant that is read as a text.
        ("reports.@sum.name == 0", "IFNULL(NULL, 0) = ?"), ("name > reports.@sum.name", "0"),
        ("entity <= entity", "0"), ("boss >= boss", "0"), ("boss == boss", "t0.ZBOSS IS t0.ZBOSS"),
        (
            "ANY reports.age > 5",
            "EXISTS (SELECT 1 FROM ZPERSON t1 WHERE t1.ZBOSS = t0.Z_PK AND (t1.ZAGE > ?))"
        ),
        (
            "ANY tags.label == 'x'",
            "EXISTS (SELECT 1 FROM Z_2TAGS t2 JOIN ZTAG t1 ON t1.Z_PK = t2.Z_3TAGS "
                + "WHERE t2.Z_2PEOPLE = t0.Z_PK AND (t1.ZLABEL = ?))"
        ),
        ("reports.@count > 0", "EXISTS (SELECT 1 FROM ZPERSON t1 WHERE t1.ZBOSS = t0.Z_PK)"),
        ("TRUEPREDICATE", "1"), ("TRUEPREDICATE AND NOT TRUEPREDICATE", "(1 AND 0)"),
    ])
    func translates(_ format: String, _ sql: String) throws {
        #expect(try condition(format).sql == sql)
    }

    @Test(arguments: [
        ("nope == 1", "keypath nope not found in entity Person"),
        ("boss.nope == 1", "keypath boss.nope not found in entity Person"),
        ("name.length == 1", "keypath name.length not found in entity Person"),
        ("reports.name == 'a'", "to-many key not allowed here"),
        ("reports[0].name == 'a'", "unsupported expression"),
        ("objectID.name == 'a'", "an object ID has no keys"),
        ("name == $X", "Can't get value for 'X' in bindings"),
        ("name MATCHES '('", "Can't open pattern"),
        ("random() == 1", "unsupported expression"),
    ])
    func refusesWithASentence(_ format: String, _ message: String) throws {
        let error = #expect(throws: QueryError.self) { try condition(format) }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test func refusesBlocks() throws {
        let block = NSPredicate { _, _ in true }
        let error = #expect(throws: QueryError.self) { try condition("age > 1 AND %@", [block]) }
        #expect(
            error?.message.contains("Problem with subpredicate BLOCKPREDICATE: unsupported") == true
        )
        let fixture = try QueryFixture(seed: 1, count: 3)
        let sort = NSSortDescriptor(key: "name", ascending: true) { _, _ in .orderedSame }
        #expect(throws: QueryError.self) {
            try fixture.statement(NSPredicate(value: true), [sort])
        }
    }

    @Test(arguments: ["'; DROP TABLE ZPERSON; --", "\" OR 1=1 --", "a\u{0}' OR '1'='1"])
    func argumentsCannotBecomeSQL(_ text: String) throws {
        let fragment = try condition("name == %@ AND nick CONTAINS %@", [text, text])
        #expect(fragment.sql == "(t0.ZNAME = ? AND instr(t0.ZNICK, ?) > 0)")
        #expect(fragment.bindings == [.text(text), .text(text)])
        #expect(throws: QueryError.self) { try condition("%K == 1", [text]) }
    }

    @Test(arguments: [
        ("name == 'a'", "ZPERSON_ZNAME_INDEX (ZNAME=?)"),
        ("age > 5", "ZPERSON_ZAGE_INDEX (ZAGE>?)"),
        ("age BETWEEN {1, 5}", "ZPERSON_ZAGE_INDEX (ZAGE>? AND ZAGE<?)"),
        ("name BEGINSWITH 'ab'", "ZPERSON_ZNAME_INDEX (ZNAME>? AND ZNAME<?)"),
        ("uuid == %@", "ZPERSON_ZUUID_INDEX (ZUUID=?)"),
        ("born >= %@", "ZPERSON_ZBORN_INDEX (ZBORN>?)"),
        ("boss == %@", "ZPERSON_ZBOSS_INDEX (ZBOSS=?)"),
        ("boss == nil", "ZPERSON_ZBOSS_INDEX (ZBOSS=?)"),
        ("ANY reports.age > 5", "ZPERSON_ZBOSS_INDEX (ZBOSS=?)"),
        ("SELF == %@", "INTEGER PRIMARY KEY (rowid=?)"),
        ("SELF IN %@", "INTEGER PRIMARY KEY (rowid=?)"),
        ("age IN %@", "ZPERSON_ZAGE_INDEX (ZAGE=?)"),
        ("boss.name == 'a'", "SEARCH t0 USING COVERING INDEX ZPERSON_ZBOSS_INDEX (ZBOSS=?)"),
    ])
    func indexesServe(_ format: String, _ plan: String) throws {
        let fixture = try QueryFixture(seed: 1, count: 3)
        let argument: Any
        switch format.prefix(4) {
        case "uuid": argument = Pools.uuidConstants[0]
        case "born": argument = Pools.dateConstants[0]
        case "age ": argument = Array(0..<3000)
        default: argument = format.contains("IN") ? fixture.people : fixture.people[0]
        }
        let arguments = format.contains("%@") ? [argument] : []
        let predicate = try NSPredicate.parse(format, arguments: arguments)
        // Without an order: rows by primary key may make SQLite prefer a scan.
        let statement = try fixture.statement(predicate, ordered: false)
        let lines = try fixture.plan(statement)
        #expect(lines.contains { $0.contains(plan) }, "\(lines)")
    }

    @Test func entitiesCompareByNumber() throws {
        let fixture = try QueryFixture(seed: 1, count: 3)
        let predicate = NSPredicate(format: "entity == %@", fixture.person.entity)
        let statement = try fixture.statement(predicate, ordered: false)
        #expect(statement.sql.hasSuffix("WHERE t0.Z_ENT = ?"))
        #expect(statement.bindings == [.integer(2)])
    }

    @Test func hugeListsTakeOneParameter() throws {
        #expect(try condition("age IN %@", [Array(0..<100_000)]).bindings.count == 1)
    }

    @Test func nestingThatSQLiteCannotParseIsRefused() throws {
        let fixture = try QueryFixture(seed: 1, count: 3)
        var deep: [NSPredicate] = [
            NSPredicate(format: "age > 5"), NSPredicate(format: "age > 5"),
            NSPredicate(format: "age > 5"), NSPredicate(format: "age > 5"),
        ]
        var refusedCount = 0
        for index in 0..<400 {
            let other = NSPredicate(format: "age != %d", index)
            let type: NSCompoundPredicate.LogicalType = index.isMultiple(of: 2) ? .and : .or
            deep[0] = NSCompoundPredicate(type: type, subpredicates: [deep[0], other])
            deep[1] = NSCompoundPredicate(type: type, subpredicates: [other, deep[1]])
            deep[2] = NSCompoundPredicate(
                notPredicateWithSubpredicate: NSCompoundPredicate(
                    type: type,
                    subpredicates: [other, deep[2], other]
                )
            )
            deep[3] = NSPredicate(format: "SUBQUERY(reports, $x, %@).@count > 1", deep[3])
            for predicate in deep where index < 120 || index == 399 {
                do {
                    let statement = try fixture.statement(predicate)
                    let evaluator = PredicateEvaluator(predicate)
                    let expected = fixture.people.filter { evaluator.evaluate($0) }
                    #expect(try fixture.rowIDs(statement) == expected.map(\.reference.primaryKey))
                } catch let error as QueryError where error.message.contains("flatter") {
                    refusedCount += 1
                }
            }
        }
        #expect(refusedCount > 4)
        let chain = NSCompoundPredicate(
            orPredicateWithSubpredicates: (0..<5000).map { NSPredicate(format: "age == %d", $0) }
        )
        #expect(throws: Never.self) { try fixture.rowIDs(fixture.statement(chain)) }
    }

    @Test func columnsAggregateRows() throws {
        let fixture = try QueryFixture(seed: 3, count: 30)
        let translator = PredicateTranslator(
            model: fixture.model,
            layout: fixture.person,
            naming: FixtureNaming()
        )
        translator.allowsRowAggregates = true
        let path = NSExpression(forKeyPath: "age")
        let maximum = try translator.column(NSExpression(forFunction: "max:", arguments: [path]))
        #expect(maximum.sql == "MAX(t0.ZAGE)")
        let count = try translator.column(NSExpression(format: "count:(name)"))
        #expect(count.sql == "COUNT(t0.ZNAME)")
        let having = try translator.condition(NSPredicate(format: "sum:(age) > 5"))
        #expect(having.sql == "IFNULL(SUM(t0.ZAGE), 0) > ?")
    }

    @Test func validationKnowsTheModel() throws {
        let fixture = try QueryFixture(seed: 1, count: 3)
        let validation = PredicateValidation(model: fixture.model, layout: fixture.person)
        for format in [
            "nope == 1", "boss.nope == 1", "name MATCHES '('", "name == $X",
            "SUBQUERY(reports, $x, $x.nope == 1).@count > 0",
        ] {
            #expect(throws: QueryError.self) { try validation.check(NSPredicate.parse(format)) }
        }
        for format in [
            "boss.name == 'a' AND reports.@count > 1 AND SELF == nil",
            "SUBQUERY(reports, $x, $x.age > age).@count > 0", "ANY tags.people.name == 'x'",
        ] {
            #expect(throws: Never.self) { try validation.check(NSPredicate.parse(format)) }
        }
    }
}
