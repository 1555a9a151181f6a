import Porting
import SwiftSource
import Testing

/// Names and methods that modules of this package stand in for.
@Suite struct LegacyNameTests {
    private func port(_ text: String) -> (text: String, left: [Int]) {
        let ported = SourcePorter().port([UInt8](text.utf8))
        let left = ported.findings.filter { $0.kind == .left }.map(\.line)
        return (String(decoding: ported.bytes, as: UTF8.self), left)
    }

    private static let rewritings: [(String, String)] = [
        ("f((a as AnyObject).isEqual(b))", "f((a as AnyObject as! NSObject).isEqual(b))"),
        ("(a as AnyObject?)?.isEqual(b)", "(a as AnyObject? as? NSObject)?.isEqual(b)"),
        (
            "import Foundation\nUserDefaults.standard.setValue(1, forKey: a)\n",
            "import Foundation\n#if !canImport(ObjectiveC)\nimport LegacyFoundation\n#endif\n"
                + "UserDefaults.standard.setValue(1, forKey: a)\n"
        ),
        (
            "import Foundation\nlet b = self.userDefaults.value(forKey: a)\n",
            "import Foundation\n#if !canImport(ObjectiveC)\nimport LegacyFoundation\n#endif\n"
                + "let b = self.userDefaults.value(forKey: a)\n"
        ),
        (
            "import Foundation\nvar a: NSKeyValueObservation?\n",
            "import CoreData\nimport Foundation\nvar a: NSKeyValueObservation?\n"
        ),
        (
            "import Foundation\nlet a = path._kvcKeyPathString\n",
            "import CoreData\nimport Foundation\nlet a = path._kvcKeyPathString\n"
        ),
        (
            "import Foundation\nfunc load(_ request: URLRequest) -> XMLParser? { nil }\n",
            "import Foundation\n#if !canImport(ObjectiveC)\nimport FoundationNetworking\n"
                + "import FoundationXML\n#endif\n"
                + "func load(_ request: URLRequest) -> XMLParser? { nil }\n"
        ),
        (
            "import Foundation\n#if canImport(FoundationNetworking)\nimport FoundationNetworking\n"
                + "#endif\nlet session = URLSession.shared\n",
            "import Foundation\n#if canImport(FoundationNetworking)\nimport FoundationNetworking\n"
                + "#endif\nlet session = URLSession.shared\n"
        ),
        (
            "import Foundation\nlet a: Foundation.URLRequest = ObjectiveC.autoreleasepool { b }\n",
            "import Foundation\n#if !canImport(ObjectiveC)\nimport FoundationNetworking\n"
                + "import LegacyFoundation\n#endif\nlet a: URLRequest = autoreleasepool { b }\n"
        ),
        (
            "import XCTest\nlet name = type(of: self).description()\n",
            "import XCTest\n#if !canImport(ObjectiveC)\nimport LegacyFoundation\nimport LegacyXCTest\n"
                + "#endif\nlet name = type(of: self).description()\n"
        ),
        (
            "import CoreData\nlet b = object.value(forKey: a)\n",
            "import CoreData\nlet b = object.value(forKey: a)\n"
        ),
        (
            "import XCTest\nlet e = XCTKVOExpectation(keyPath: \"a\", object: b)\n",
            "import XCTest\n#if !canImport(ObjectiveC)\nimport LegacyXCTest\n#endif\n"
                + "let e = XCTKVOExpectation(keyPath: \"a\", object: b)\n"
        ),
        (
            "import CoreData\nextension A {\n  override func observeValue(forKeyPath p: String?) {}\n}\n",
            "import CoreData\nextension A {\n  #if canImport(ObjectiveC)\n"
                + "  override func observeValue(forKeyPath p: String?) {}\n  #else\n"
                + "  func observeValue(forKeyPath p: String?) {}\n  #endif\n}\n\n"
                + "#if !canImport(ObjectiveC)\nextension A: KeyValueObserver {}\n#endif\n"
        ),
    ]

    private static let identifiers: [(String, String)] = [
        (
            "let a = Bundle.main.bundleIdentifier! + \".queue\"",
            "let a = (Bundle.main.bundleIdentifier ?? ProcessInfo.processInfo.processName) + \".queue\""
        ),
        (
            "return Bundle(for: A.self).bundleIdentifier!.lowercased()",
            "return (Bundle(for: A.self).bundleIdentifier ?? ProcessInfo.processInfo.processName)"
                + ".lowercased()"
        ),
        (
            "f(\"\\(bundle.bundleIdentifier!).sqlite\")",
            "f(\"\\((bundle.bundleIdentifier ?? ProcessInfo.processInfo.processName)).sqlite\")"
        ),
        (
            "guard let a = self.bundle.bundleIdentifier,\n  let b = f(a) else { return }",
            "guard let a = self.bundle.bundleIdentifier ?? .some(ProcessInfo.processInfo.processName),"
                + "\n  let b = f(a) else { return }"
        ),
        (
            "guard let b = f(1), let a = Bundle.main.bundleIdentifier else { return }",
            "guard let b = f(1), let a = Bundle.main.bundleIdentifier "
                + "?? .some(ProcessInfo.processInfo.processName) else { return }"
        ),
        (
            "if let a = Bundle.main.bundleIdentifier, a != b {}",
            "if let a = Bundle.main.bundleIdentifier, a != b {}"
        ),
        (
            "if let a = Bundle.main.bundleIdentifier {}",
            "if let a = Bundle.main.bundleIdentifier {}"
        ),
    ]

    @Test(arguments: identifiers)
    func programsWithoutAnIdentifierAreKnownByTheirName(before: String, after: String) {
        let ported = port(before)
        #expect(ported.text == after)
        #expect(ported.left.isEmpty)
        #expect(port(after).text == after)
    }

    @Test(arguments: [
        "import Foundation\nlet a = Bundle(identifier: \"com.a.b\")!",
        "import Foundation\nlet a = Bundle.init(identifier: name) ?? .main",
    ])
    func bundlesThatAreLookedUpByIdentifierAreNamed(source: String) {
        let ported = port(source)
        #expect(ported.text == source)
        #expect(ported.left == [2])
    }

    @Test(arguments: [
        ("let a = Bundle(for: A.self).url(forResource: \"a\", withExtension: \"json\")", 1),
        ("let a = Bundle(for: A.self)\nlet b = a.path(forResource: name, ofType: type)", 1),
        ("let a = Bundle(for: A.self).url(forResource: \"Model\", withExtension: \"momd\")", 0),
        ("let a = NSManagedObjectModel.mergedModel(from: [Bundle(for: A.self)])", 0),
        ("let a = Bundle.module.url(forResource: \"a\", withExtension: \"json\")", 0),
        ("let a = Bundle(for: A.self)\nlet b = c.a.path(forResource: name, ofType: type)", 0),
    ])
    func resourcesInTheBundleOfAClassAreNamed(source: String, count: Int) {
        let ported = port("import CoreData\n" + source)
        #expect(ported.text == "import CoreData\n" + source)
        #expect(ported.left.count == count)
    }

    @Test func optionalMethodsGetADefault() {
        let source = """
            @objc public protocol P: AnyObject {
                @objc optional func f(_ x: Int, with y: String)
            }
            final class A {
                weak var p: P?
                func g() {
                    p?.f?(1, with: "y")
                    if x > 0 { p?.f?(x, with: "z") }
                    (q as? P)?.f?(2, with: "a")
                    r(3).p?.f?(3, with: "b")
                }
            }
            """
        let ported = port(source)
        #expect(ported.left.isEmpty)
        let lines = ported.text.split(separator: "\n").map(String.init)
        for line in [
            "    @objc optional func f(_ x: Int, with y: String)",
            "    func f(_ x: Int, with y: String)", "extension P {",
            "    public func f(_ x: Int, with y: String) {}", "        p?.f?(1, with: \"y\")",
            "        p?.f(1, with: \"y\")", "        if x > 0 { p?.f(x, with: \"z\") }",
            "        (q as? P)?.f(2, with: \"a\")", "        r(3).p?.f(3, with: \"b\")",
        ] { #expect(lines.contains(line)) }
        #expect(port(ported.text).text == ported.text)
        #expect(SourcePorter.optionalMethods(in: SwiftSource(source)) == ["f"])
    }

    @Test(arguments: rewritings)
    func rewritesWhatIsClear(before: String, after: String) {
        let ported = port(before)
        #expect(ported.text == after)
        #expect(ported.left.isEmpty)
        #expect(port(after).text == after)
    }

    @Test func observersThatAreRemovedAreKnownByIdentity() {
        let source = """
            import CoreData
            class A {
                func start() {
                    center.addObserver(self, selector: #selector(saved(_:)), name: .x, object: c)
                }
                func stop() { center.removeObserver(self) }
                @objc func saved(_ notification: Notification) throws {}
            }
            """
        let ported = port(source)
        #expect(ported.left.isEmpty)
        for line in [
            "import LegacyFoundation",
            "        center.addObserver(self, name: .x, object: c) { [weak self] notification in",
            "            try? self?.saved(notification)",
        ] {
            #expect(ported.text.split(separator: "\n").contains(Substring(line)))
        }
        #expect(port(ported.text).text == ported.text)
    }

    @Test func overridesMoveIntoTheirClass() {
        let source = """
            import CoreData
            public class Person: NSManagedObject {
                var a = 1
            }

            public extension Person {
                func b() {}

                /// Says when it was made.
                override func awakeFromInsert() {
                    super.awakeFromInsert()
                    made = #keyPath(Person.made)
                }
            }
            """
        let expected = """
            import CoreData
            public class Person: NSManagedObject {
                var a = 1

                /// Says when it was made.
                public override func awakeFromInsert() {
                    super.awakeFromInsert()
                    made = "made"
                }
            }

            public extension Person {
                func b() {}

            }
            """
        let ported = port(source)
        #expect(ported.text == expected)
        #expect(ported.left.isEmpty)
        #expect(port(expected).text == expected)
    }

    @Test func classesAreNamedAsObjectiveCNamesThem() {
        let source = """
            import CoreData
            @objc(Article)
            final class Article: NSManagedObject {}
            final class Draft: NSManagedObject {}
            let names = [NSStringFromClass(Article.self), NSStringFromClass(Draft.self)]
            """
        let ported = port(source)
        #expect(ported.text.hasSuffix("let names = [\"Article\", NSStringFromClass(Draft.self)]"))
        #expect(port(ported.text).text == ported.text)
    }

    @Test(arguments: [
        (
            "import Foundation\nvar c: NSManagedObjectContext?\n",
            "import CoreData\nimport Foundation\nvar c: NSManagedObjectContext?\n"
        ),
        (
            "// Header.\n\n/// C.\nvar c: NSFetchRequest<A>?\n",
            "// Header.\n\nimport CoreData\n\n/// C.\nvar c: NSFetchRequest<A>?\n"
        ),
        ("import CoreData.CoreDataDefines\n", "import CoreData\n"),
        ("import class CoreData.NSManagedObject\n", "import class CoreData.NSManagedObject\n"),
        (
            "import CoreData\nFoundation.ValueTransformer.setValueTransformer(t)\n",
            "import CoreData\nValueTransformer.setValueTransformer(t)\n"
        ),
        (
            "import XCTest\nwait(for: [a])\nwait(for: [a], timeout: 1)\n",
            "import XCTest\n#if !canImport(ObjectiveC)\nimport LegacyXCTest\n#endif\n"
                + "wait(for: [a])\nwait(for: [a], timeout: 1)\n"
        ),
    ])
    func importsAreThere(before: String, after: String) {
        #expect(port(before).text == after)
        #expect(port(after).text == after)
    }

    @Test func typesAroundAnObserverAreNamed() {
        let source = """
            public class Outer<T: AnyObject> {
                final class Inner: NSObject {
                    @objc public override func observeValue(forKeyPath keyPath: String?) {
                        super.observeValue(forKeyPath: #keyPath(Person.name))
                    }
                }
            }
            """
        let ported = port(source)
        #expect(ported.left.isEmpty)
        let lines = ported.text.split(separator: "\n").map(String.init)
        #expect(lines.contains("extension Outer.Inner: KeyValueObserver {}"))
        #expect(lines.contains("        public func observeValue(forKeyPath keyPath: String?) {"))
        #expect(
            lines.filter { $0.hasSuffix("super.observeValue(forKeyPath: \"name\")") }.count == 2
        )
        #expect(port(ported.text).text == ported.text)
    }
}
