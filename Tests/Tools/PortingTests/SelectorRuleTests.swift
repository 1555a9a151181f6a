import Porting
import Testing

/// Selectors that are kept, passed on and performed.
@Suite struct SelectorRuleTests {
    private func port(_ text: String) -> (lines: [String], left: Int, text: String) {
        let ported = SourcePorter().port([UInt8](text.utf8))
        let text = String(decoding: ported.bytes, as: UTF8.self)
        return (
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) },
            ported.findings.count { $0.kind == .left }, text
        )
    }

    private static let source = """
        import CoreData
        final class Stack<T>: NSObject {
            private let name = #selector(Stack<T>.didChange(_:))
            func start() {
                let didSave = #selector(didSave(_:))
                center.addObserver(self, selector: didSave, name: .saved, object: nil)
                for c in all { c.performSelector(onMainThread: #selector(NSManagedObjectContext.mergeChanges(fromContextDidSave:)), with: n, waitUntilDone: true) }
                if isOn {
                    perform(
                        #selector(self.tick),
                        with: nil,
                        afterDelay: 1
                    )
                }
            }
            @objc func didChange(_ note: Notification) {}
            @objc func didSave(_ note: Notification) {}
            @objc func tick() {}
        }
        """

    @Test func selectorsAreMadeOfTheirMethods() {
        let ported = port(Self.source)
        #expect(ported.left == 0)
        for line in [
            "import LegacyFoundation",
            "private let name = #selector(Stack<T>.didChange(_:))",
            "private let name = Selector(\"didChange:\", Stack<T>.didChange(_:))",
            "let didSave = Selector(\"didSave:\", Stack.didSave(_:))",
            "center.addObserver(self, selector: didSave, name: .saved, object: nil)",
            "for c in all { c.performSelector(onMainThread: Selector("
                + "\"mergeChangesFromContextDidSave:\", "
                + "NSManagedObjectContext.mergeChanges(fromContextDidSave:)), with: n, "
                + "waitUntilDone: true) }",
            "Selector(\"tick\", Stack.tick),",
        ] {
            #expect(ported.lines.contains(line), "\(line)")
        }
        #expect(ported.lines.count { $0 == "#if canImport(ObjectiveC)" } == 7)
        #expect(port(ported.text).text == ported.text)
    }

    @Test func severalSelectorsOfAStatementAreRewrittenAtOnce() {
        let source = """
            class A {
                let all: [Selector] = [
                    #selector(a), #selector(b(note:)),
                ]
            }
            """
        let ported = port(source)
        #expect(
            ported.lines.contains("Selector(\"a\", A.a), Selector(\"bWithNote:\", A.b(note:)),")
        )
        #expect(ported.left == 0)
    }

    @Test func methodsOfSeveralParametersAreNamed() {
        #expect(port("class A {\n  let a = #selector(b(_:c:))\n}").left == 1)
    }
}
