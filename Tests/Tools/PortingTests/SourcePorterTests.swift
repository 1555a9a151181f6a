import Porting
import SwiftSource
import Testing

/// What the porter writes, and what it names.
@Suite struct SourcePorterTests {
    private func port(_ text: String) -> (text: String, left: [Int]) {
        let ported = SourcePorter().port([UInt8](text.utf8))
        let left = ported.findings.filter { $0.kind == .left }.map(\.line)
        return (String(decoding: ported.bytes, as: UTF8.self), left)
    }

    private static let rewritings: [(String, String)] = [
        (
            "@objc(Person) public class Person: NSObject {}\n",
            "#if canImport(ObjectiveC)\n@objc(Person)\n#endif\n"
                + "public class Person: NSObject {}\n"
        ),
        (
            "@objc(Person)\npublic class Person: NSObject {}\n",
            "#if canImport(ObjectiveC)\n@objc(Person)\n#endif\n"
                + "public class Person: NSObject {}\n"
        ),
        (
            "class A {\n  public @objc dynamic var b = 1 // b\n}",
            "class A {\n  #if canImport(ObjectiveC)\n  @objc\n  #endif\n"
                + "  public dynamic var b = 1 // b\n}"
        ),
        (
            "class A {\r\n\t@discardableResult @objc func b() -> Int { 1 }\r\n}",
            "class A {\r\n\t#if canImport(ObjectiveC)\r\n\t@objc\r\n\t#endif\r\n"
                + "\t@discardableResult func b() -> Int { 1 }\r\n}"
        ),
        (
            "@objc protocol P {}\n@objc public protocol Q: P {}\n@objc protocol R: AnyObject {}",
            "#if canImport(ObjectiveC)\n@objc\n#endif\nprotocol P: AnyObject {}\n"
                + "#if canImport(ObjectiveC)\n@objc\n#endif\npublic protocol Q: AnyObject, P {}\n"
                + "#if canImport(ObjectiveC)\n@objc\n#endif\nprotocol R: AnyObject {}"
        ),
        (
            "import Foundation\nclass T: ValueTransformer {}\n",
            "import CoreData\nimport Foundation\nclass T: ValueTransformer {}\n"
        ),
        (
            "import Foundation\nlet p = NSPredicate(format: \"a == 1\")\n",
            "import CoreData\nimport Foundation\nlet p = NSPredicate(format: \"a == 1\")\n"
        ),
        (
            "import UniformTypeIdentifiers\nextension UTType {}\n",
            "#if canImport(UniformTypeIdentifiers)\nimport UniformTypeIdentifiers\n#endif\n"
                + "#if canImport(UniformTypeIdentifiers)\nextension UTType {}\n#endif\n"
        ),
        ("f(#keyPath(Person.address.city))", "f(\"address.city\")"),
        ("f(#keyPath(App.Person.name), #keyPath(name))", "f(\"name\", \"name\")"),
        ("f(\"\\(#keyPath(Person.name))!\")", "f(\"\\(\"name\")!\")"),
        ("NSStringFromSelector(#selector(getter: Person.name))", "\"name\""),
        (
            "g(selector: #selector(NSString.localizedStandardCompare(_:)))",
            "g(selector: Selector((\"localizedStandardCompare:\")))"
        ),
        (
            "import Combine\n",
            "#if canImport(Combine)\nimport Combine\n#else\nimport LegacyCombine\n#endif\n"
        ),
        (
            "import CoreData\nlet c = center.publisher(for: .saved).sink {}\n",
            "import CoreData\n#if !canImport(ObjectiveC)\nimport LegacyCombine\n#endif\n"
                + "let c = center.publisher(for: .saved).sink {}\n"
        ),
        (
            "import UIKit\nclass A {\n  var a: UIImage {\n    b\n  }}\n",
            "#if canImport(UIKit)\nimport UIKit\n#endif\nclass A {\n  #if canImport(UIKit)\n"
                + "  var a: UIImage {\n    b\n  }\n  #endif\n  }\n"
        ),
        (
            "@_exported import OSLog\n",
            "#if canImport(OSLog)\n@_exported import OSLog\n#else\n"
                + "@_exported import LegacyFoundation\n#endif\n"
        ),
        (
            "import os.log\n",
            "#if canImport(os)\nimport os.log\n#else\nimport LegacyFoundation\n#endif\n"
        ),
        (
            "import CoreData // stack\nautoreleasepool {}\n",
            "import CoreData // stack\n#if !canImport(ObjectiveC)\nimport LegacyFoundation\n#endif\n"
                + "autoreleasepool {}\n"
        ),
        (
            "import CoreData\ncenter.notifications(named: name)\n",
            "import CoreData\n#if !canImport(ObjectiveC)\nimport LegacyFoundation\n#endif\n"
                + "center.notifications(named: name)\n"
        ),
    ]

    @Test(arguments: rewritings)
    func rewritesWhatIsClear(before: String, after: String) {
        let ported = port(before)
        #expect(ported.text == after)
        #expect(ported.left.isEmpty)
        #expect(port(after).text == after)
    }

    @Test func whatUsesAMissingModuleGoesWithIt() {
        let source = """
            import SwiftUI
            final class Store: NSObject {
                @State private var tasks = 1
                // Stays.
                @objc func count() -> Int { 1 }
                func changes() -> some View {
                    Text("1").padding()
                }
                class func view(of value: View) {}
            }

            struct Main: NSObject,
                View
            {
                var name = ""
            }
            let view = "View"
            """
        let expected = """
            #if canImport(SwiftUI)
            import SwiftUI
            #endif
            final class Store: NSObject {
                #if canImport(SwiftUI)
                @State private var tasks = 1
                #endif
                // Stays.
                #if canImport(ObjectiveC)
                @objc
                #endif
                func count() -> Int { 1 }
                #if canImport(SwiftUI)
                func changes() -> some View {
                    Text("1").padding()
                }
                #endif
                #if canImport(SwiftUI)
                class func view(of value: View) {}
                #endif
            }

            #if canImport(SwiftUI)
            struct Main: NSObject,
                View
            {
                var name = ""
            }
            #endif
            let view = "View"
            """
        #expect(port(source).text == expected)
        #expect(port(expected).text == expected)
    }

    /// SwiftUI has names that others use as well.
    @Test func typesOfTheFileAreNotTheMissingModules() {
        let source = """
            #if canImport(SwiftUI)
            import SwiftUI
            #endif
            final class Download {
                enum State { case running, done }
                var state: State = .running
            }

            #if canImport(SwiftUI)
            struct Row: View {}
            #endif
            """
        #expect(port(source).text == source)
    }

    @Test func whatUsesAPropertyThatGoesGoesToo() {
        let source = """
            import UIKit
            class A {
                func start() { tasks.removeAll() }
                var tasks = [UIView]()
                init() { x.show(UIView()).store(in: &tasks) }
                func stop() { other.tasks() }
            }
            """
        let ported = port(source)
        let lines = ported.text.split(separator: "\n")
        #expect(lines.filter { $0.hasSuffix("#if canImport(UIKit)") }.count == 3)
        #expect(lines.contains("    func stop() { other.tasks() }"))
        #expect(ported.left == [5])
        #expect(port(ported.text).text == ported.text)
    }

    @Test func codeThatUsesCombineStays() {
        let source = """
            import Combine
            class A: ObservableObject {
                var tasks = Set<AnyCancellable>()
                init() { center.publisher(for: .saved).sink { _ in }.store(in: &tasks) }
            }
            """
        let ported = port(source)
        let body = source.split(separator: "\n").dropFirst().joined(separator: "\n")
        #expect(ported.text.hasSuffix(body))
        #expect(ported.left.isEmpty)
        #expect(port("import Combine\nstruct S: Subscriber {}").left == [2])
    }

    @Test func observersGetABlock() {
        let source = """
            class A {
                func start() {
                    center.addObserver(self, selector: #selector(saved(_:)), name: .x, object: c)
                    timer = Timer.scheduledTimer(
                        timeInterval: 1, target: self, selector: #selector(tick),
                        userInfo: nil, repeats: true)
                }
                @objc func saved(_ notification: NSNotification) {}
                @objc func tick() {}
            }
            """
        let ported = port(source)
        #expect(ported.left.isEmpty)
        for line in [
            "        _ = center.addObserver(forName: .x, object: c, queue: nil) { [weak self] "
                + "notification in",
            "            self?.saved(notification as NSNotification)",
            "        timer = Timer.scheduledTimer(withTimeInterval: 1, repeats: true) { [weak self] "
                + "timer in",
            "            self?.tick()",
            "        center.addObserver(self, selector: #selector(saved(_:)), name: .x, object: c)",
        ] {
            #expect(ported.text.split(separator: "\n").contains(Substring(line)))
        }
        #expect(port(ported.text).text == ported.text)
    }

    @Test(arguments: [
        "let text = \"@objc #keyPath(A.b)\"", "// @objc class A {}", "/* import UIKit */",
        "#if os(iOS)\nimport UIKit\n@objc class A {}\n#endif",
        "#if canImport(UIKit) || os(macOS)\n@objc class A {}\n#else\nclass A {}\n#endif",
        "func f(\n  optional: Bool = true,\n  prefix: String,\n  final: Int\n) {}",
        "#if !os(Linux)\nautoreleasepool {}\n#endif",
        "@NSManaged public var name: String?\n@nonobjc class func fetch() {}",
        "func autoreleasepool(_ block: () -> Void) {}", "pool.autoreleasepool()",
        "let s = NSSelectorFromString(\"caseInsensitiveCompare:\")", "func Selector(_ n: Int) {}",
        "import CoreData\nswitch r { case is NSFetchRequest<P>: f(r as NSFetchRequest<P>) }",
    ])
    func leavesAloneWhatNeedsNothing(source: String) {
        let ported = port(source)
        #expect(ported.text == source)
        #expect(ported.left.isEmpty)
    }

    @Test(arguments: [
        ("perform(#selector(run))", 1), ("\nlet i = NSInvocation()", 2),
        ("protocol P {\n  @objc optional func f() -> Int\n}", 2),
        ("extension A {\n  override func b() {}\n}", 2),
        ("func f() {\n  center.removeObserver(self)\n}", 2),
        ("typealias Block = @convention(block) () -> Void", 1),
        ("\ncall(NSSelectorFromString(name))", 2), ("\nobject.perform(Selector(name))", 2),
        ("import UIKit; import CoreData", 1), ("let a = \"", 1),
    ])
    func namesWhatIsLeft(source: String, line: Int) {
        #expect(port(source).left.contains(line))
    }

    @Test func renamedPropertiesKeepTheirKey() {
        let source = "@objc(active) var isActive: Bool\n@objc var name: String"
        #expect(SourcePorter.renamedKeys(in: SwiftSource(source)) == ["isActive": "active"])
        let ported = SourcePorter(renamedKeys: ["isActive": "active"])
            .port([UInt8]("#keyPath(Person.isActive)".utf8))
        #expect(String(decoding: ported.bytes, as: UTF8.self) == "\"active\"")
    }
}
