import TestSupport
import Testing

@testable import CoreData

/// Predicates in the form that compiled models and stores have of them.
@Suite struct PredicateArchiveTests {
    private func read(_ data: Data) throws -> NSPredicate {
        let archive = try KeyedArchive(data)
        guard case .object(let object) = try archive.root() else {
            throw ArchiveError(reason: "the root is no object")
        }
        return try PredicateArchiveReader(archive).predicate(object)
    }

    @Test(arguments: [
        "1 IN ((a UNION {1}) MINUS b)", "1 IN (a INTERSECT {1, 2})",
        "SUBQUERY(parts, $x, $x.age > 5 AND $x.n == a).@count > 0",
        "TERNARY(a > 1, \"x\", \"y\") == b", "ANYKEY == 1", "a LIKE[c] \"x*\"", "a MATCHES \"x\"",
        "a BETWEEN {1, 2}", "TRUEPREDICATE", "FALSEPREDICATE", "NOT FALSEPREDICATE",
        "a == 1 OR NOT (b == 2 AND c == 3)", "ALL parts.age > 1", "ANY parts.age != 1",
        "$v.a.b == $w", "sum:(parts.age) > 2", "a ==[cd] \"x\"", "a IN {1, 2}", "a CONTAINS[c] b",
        "SELF == nil", "a.b.c <= 1.5", "a BEGINSWITH \"x\"", "modulus:by:(a, 2) == 0",
    ])
    func predicatesComeBack(_ format: String) throws {
        let predicate = try NSPredicate.parse(format)
        let builder = KeyedArchiveBuilder()
        let reference = try PredicateArchiveWriter(builder: builder).predicate(predicate)
        let copy = try read(builder.data(root: reference))
        #expect(copy == predicate)
        #expect(copy.formatString == format)
    }

    /// A template without a part of its condition would find what it must not: the whole template
    /// is left out of a compiled model, which says so.
    @Test func whatHasNoFormLeavesATemplateOut() throws {
        let selected = NSComparisonPredicate(
            leftExpression: NSExpression(forKeyPath: "label"),
            rightExpression: NSExpression(forConstantValue: 1),
            modifier: .direct,
            type: .customSelector
        )
        func equal(to expression: NSExpression) -> NSPredicate {
            NSPredicate(format: "label == %@", expression)
        }
        let fetch = NSFetchRequestExpression.expression(
            forFetch: NSExpression(forVariable: "REQUEST"),
            context: NSExpression(forVariable: "CONTEXT"),
            countOnly: true
        )
        let cases: [(NSPredicate, String)] = [
            (NSPredicate { _, _ in true }, "a predicate of a block"),
            (selected, "a comparison by a method"),
            (NSPredicate(format: "people[FIRST] == 1"), "an index"),
            (
                equal(to: NSExpression(block: { _, _, _ in 1 }, arguments: nil)),
                "an expression of a block"
            ),
            (equal(to: fetch), "a fetch request expression"),
            (equal(to: NSExpression(forConstantValue: Thread.current)), "a constant of type"),
        ]
        for (predicate, part) in cases {
            let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
            request.predicate = predicate
            try expectLeftOut(request, since: part)
        }
        let sorted = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
        sorted.sortDescriptors = [
            NSSortDescriptor(key: "label", ascending: true) { _, _ in .orderedSame }
        ]
        try expectLeftOut(sorted, since: "a sort descriptor with a block")
    }

    private func expectLeftOut(
        _ request: NSFetchRequest<any NSFetchRequestResult>,
        since part: String
    ) throws {
        let model = SampleModel.make()
        model.setFetchRequestTemplate(request, forName: "some")
        let (data, omissions) = ModelArchiveWriter.data(model, .compiled)
        let start = "The fetch request template some: the fetch request is left out, since it holds"
        #expect(omissions.count == 1)
        #expect(omissions.first?.hasPrefix(start) == true && omissions[0].contains(part))
        let copy = NSManagedObjectModel()
        try ModelArchiveReader.read(data, into: copy)
        #expect(copy.fetchRequestTemplatesByName.isEmpty)
    }
}
