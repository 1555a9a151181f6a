import Porting
import Testing

/// The merge handlers of 2012 to 2016 in the Swift of their years.
@Suite struct OldHandlerTests {
    private func port(_ text: String) -> (lines: [String], left: [String], text: String) {
        let ported = SourcePorter().port([UInt8](text.utf8))
        let text = String(decoding: ported.bytes, as: UTF8.self)
        return (
            text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) },
            ported.findings.filter { $0.kind == .left }.map(\.message), text
        )
    }

    /// A body within a class that has the handler.
    private func portHandler(_ body: String) -> (lines: [String], left: [String], text: String) {
        port(
            """
            import CoreData
            class Stack: NSObject {
                func work(_ notification: Notification) {
                    \(body)
                }
                @objc func contextDidSave(_ notification: Notification) {}
                @objc func tick() {}
            }
            """
        )
    }

    @Test(
        arguments: [
            ("dispatch_sync(dispatch_get_main_queue()) {", "DispatchQueue.main.sync {"),
            (
                "dispatch_async(dispatch_get_main_queue(), { merge() })",
                "DispatchQueue.main.async(execute: { merge() })"
            ),
            (
                "dispatch_barrier_async(queue) { merge() }",
                "queue.async(flags: .barrier) { merge() }"
            ),
            (
                "dispatch_async(dispatch_get_global_queue(DISPATCH_QUEUE_PRIORITY_LOW, 0)) {",
                "DispatchQueue.global(qos: .utility).async {"
            ),
            (
                "let queue = dispatch_queue_create(\"import\", DISPATCH_QUEUE_CONCURRENT)",
                "let queue = DispatchQueue(label: \"import\", attributes: .concurrent)"
            ),
        ]
    )
    func functionsOfDispatchBecomeMethodsOfQueues(old: String, new: String) {
        let isOpen = old.hasSuffix("{")
        let ported = portHandler(isOpen ? old + "\n        merge()\n        }" : old)
        #expect(ported.left.isEmpty)
        #expect(ported.lines.contains(new), "\(ported.text)")
        #expect(port(ported.text).text == ported.text)
    }

    @Test(arguments: ["dispatch_after(time, queue) {}", "dispatch_once(&token) {}"])
    func otherFunctionsOfDispatchAreNamed(call: String) {
        #expect(portHandler(call).left.count == 1)
    }

    @Test(
        arguments: [
            (
                "NSManagedObjectContext(concurrencyType: .MainQueueConcurrencyType)",
                "NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)"
            ),
            (
                "main.mergeChangesFromContextDidSaveNotification(notification)",
                "main.mergeChanges(fromContextDidSave: notification)"
            ),
            (
                "NSThread.isMainThread() ? a() : NSNotificationCenter.defaultCenter().b()",
                "Thread.isMainThread ? a() : NotificationCenter.default.b()"
            ),
            (
                "NSEntityDescription.insertNewObjectForEntityForName(f(a, b), "
                    + "inManagedObjectContext: main)",
                "NSEntityDescription.insertNewObject(forEntityName: f(a, b), into: main)"
            ),
        ]
    )
    func namesOfSwiftTwoBecomeTheirNamesOfToday(old: String, new: String) {
        let ported = portHandler(old)
        #expect(ported.left.isEmpty)
        #expect(ported.lines.contains(new), "\(ported.text)")
    }

    /// A method that a project has given such a name itself keeps it.
    @Test func aNameThatOthersMayHaveIsRewrittenBesideSwiftTwoOnly() {
        let alone = "class A {\n    func f() { context.performBlock { g() } }\n}"
        #expect(port(alone).text == alone)
        let own = """
            class A {
                func performBlock(_ block: () -> Void) {}
                func f() { self.performBlock { dispatch_sync(queue) { g() } } }
            }
            """
        #expect(port(own).text.contains("self.performBlock { queue.sync { g() } }"))
        let old =
            "class A {\n    func f() { context.performBlock { dispatch_sync(queue) { g() } } }\n}"
        #expect(port(old).text.contains("context.perform { queue.sync { g() } }"))
    }

    @Test func selectorsOfStringsBecomeThoseOfMethods() {
        let ported = portHandler(
            """
            let center = NSNotificationCenter.defaultCenter()
                    center.addObserver(self, selector: "contextDidSave:", name: NSManagedObjectContextDidSaveNotification, object: nil)
                    performSelectorOnMainThread("contextDidSave:", withObject: notification, waitUntilDone: true)
                    perform(Selector(("tick")), on: Thread.main, with: nil, waitUntilDone: false)
            """
        )
        #expect(ported.left.isEmpty)
        for line in [
            "let center = NotificationCenter.default",
            "center.addObserver(self, selector: #selector(contextDidSave(_:)), "
                + "name: NSNotification.Name.NSManagedObjectContextDidSave, object: nil)",
            "self?.contextDidSave(notification)",
            "performSelector(onMainThread: #selector(contextDidSave(_:)), with: notification, "
                + "waitUntilDone: true)",
            "performSelector(onMainThread: Selector(\"contextDidSave:\", "
                + "Stack.contextDidSave(_:)), with: notification, waitUntilDone: true)",
            "performSelector(onMainThread: Selector(\"tick\", Stack.tick), with: nil, "
                + "waitUntilDone: false)",
        ] {
            #expect(ported.lines.contains(line), "\(line)\n\(ported.text)")
        }
        #expect(port(ported.text).text == ported.text)
    }

    /// It would compile, and stop at run time.
    @Test(
        arguments: [
            "center.addObserver(self, selector: Selector(\"unknown:\"), name: nil, object: nil)",
            "performSelector(onMainThread: Selector(\"unknown:\"), with: nil, waitUntilDone: true)",
            "perform(#selector(tick), on: worker, with: nil, waitUntilDone: true)",
        ]
    )
    func whatLeadsToNoMethodIsNamed(call: String) { #expect(portHandler(call).left.count == 1) }

    @Test func selectorsOfComparisonsAreNames() {
        let sort =
            "NSSortDescriptor(key: \"a\", ascending: true, selector: Selector((\"compare:\")))"
        let ported = portHandler(sort)
        #expect(ported.left.isEmpty && ported.lines.contains(sort))
    }

    @Test func namesOfMagicalRecordSayWhatTakesTheirPlace() {
        let ported = port(
            """
            import MagicalRecord
            func f() {
                MagicalRecord.setupCoreDataStack()
                let all = Person.mr_findAll(in: context)
                NSManagedObjectContext.MR_defaultContext().MR_saveToPersistentStoreAndWait()
            }
            """
        )
        #expect(ported.left.count == 5)
        for (message, text) in zip(
            ported.left,
            [
                "import MergeStack", "NotificationMergeStack(model:stores:)",
                "context.findAll(Type.self", "stack.mainContext", "context.save()",
            ]
        ) {
            #expect(message.contains(text), "\(message)")
        }
    }
}
