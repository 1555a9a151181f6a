import Porting
import Testing

/// Casts between requests of different result types.
@Suite struct RequestCastTests {
    private func port(_ line: String) -> (line: String, left: Int) {
        let ported = SourcePorter().port([UInt8]("import CoreData\n\(line)\n".utf8))
        let lines = String(decoding: ported.bytes, as: UTF8.self).split(separator: "\n")
        return (
            lines.dropFirst().joined(separator: "\n"), ported.findings.count { $0.kind == .left }
        )
    }

    private static let rewritings: [(String, String)] = [
        (
            "f(T.fetchRequest() as! NSFetchRequest<T>)",
            "f(unsafeBitCast(T.fetchRequest() as AnyObject, to: NSFetchRequest<T>.self))"
        ),
        (
            "let r = try self.make()[0].request!.copy() as! NSFetchRequest<A<B>>",
            "let r = try unsafeBitCast(self.make()[0].request!.copy() as AnyObject, "
                + "to: NSFetchRequest<A<B>>.self)"
        ),
        (
            "guard let r = T.request(of: 1) as? NSFetchRequest<T> else { return }",
            "guard let r = (T.request(of: 1) as AnyObject as? NSPersistentStoreRequest).map({ "
                + "unsafeBitCast($0 as AnyObject, to: NSFetchRequest<T>.self) }) else { return }"
        ),
        (
            "r = a ?? b as! NSFetchRequest<T>",
            "r = a ?? unsafeBitCast(b as AnyObject, to: NSFetchRequest<T>.self)"
        ),
        (
            "let r = NSFetchRequest<NSManagedObject>(entityName: \"A\") as! NSFetchRequest<T>",
            "let r = NSFetchRequest<T>(entityName: \"A\")"
        ),
        (
            "return NSFetchRequest(entityName: \"A\") as! NSFetchRequest<T>",
            "return NSFetchRequest<T>(entityName: \"A\")"
        ),
        (
            "let r = c as! NSFetchedResultsController<T>",
            "let r = unsafeBitCast(c as AnyObject, to: NSFetchedResultsController<T>.self)"
        ),
        (
            "request is NSFetchRequest<T>", "request as AnyObject is NSFetchRequest<T>",
        ),
        (
            "f(r as AnyObject as! NSFetchRequest<T>)",
            "f(unsafeBitCast(r as AnyObject, to: NSFetchRequest<T>.self))"
        ),
    ]

    @Test(arguments: rewritings)
    func castsBecomeCallsThatWorkAtRunTime(before: String, after: String) {
        let ported = port(before)
        #expect(ported.line == after)
        #expect(ported.left == 0)
        #expect(port(after).line == after)
    }

    @Test func operandsOfOtherShapesAreNamed() {
        #expect(port("let r = { x }() as! NSFetchRequest<T>").left == 1)
    }
}
