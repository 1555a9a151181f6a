import SwiftSource

/// Names what takes the place of MagicalRecord's, which is a library of Objective-C: `MR_findAll()`
/// as Swift 2 imported it, `mr_findAll()` as Swift does since.
enum MagicalRecordNames {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        for index in file.activeTokens {
            guard let name = source.word(index) else { continue }
            if name == "MagicalRecord" {
                leaveModule(index, in: &file)
            } else if name.hasPrefix("mr_") || name.hasPrefix("MR_"), !isDeclared(index, source) {
                file.leave(index, "Linux has no \(name): \(advice(for: name.dropFirst(3)))")
            }
        }
    }

    private static func isDeclared(_ index: Int, _ source: SwiftSource) -> Bool {
        source.isToken(index - 1, "func") || source.isToken(index - 1, "var")
    }

    private static func leaveModule(_ index: Int, in file: inout PortingFile) {
        let source = file.source
        if source.isToken(index - 1, "import") {
            file.leave(index, "Linux has no MagicalRecord: write import MergeStack; \(article)")
        } else if source.isToken(index + 1, "."), let member = source.word(index + 2) {
            let text =
                member.hasPrefix("save")
                ? "write stack.performBackground { context in … }"
                : member.hasPrefix("cleanUp")
                    ? "write stack.tearDown()"
                    : "make a stack, NotificationMergeStack(model:stores:), and hand it on"
            file.leave(index, "Linux has no MagicalRecord.\(member): \(text); \(article)")
        }
    }

    private static let article = "\"Coming from MagicalRecord\" in the documentation has all of it"

    /// What to write, by how the name begins.
    private static func advice(for name: Substring) -> String {
        let lowered = name.lowercased()
        let found = replacements.first { lowered.hasPrefix($0.prefix) }?.text
        return (found.map { $0 + "; " } ?? "") + article
    }

    /// Longer beginnings come first.
    private static let replacements: [(prefix: String, text: String)] = [
        ("createentity", "write try context.create(Type.self) of LegacyFinders"),
        ("deleteallmatching", "write try context.deleteAll(Type.self, where:) of LegacyFinders"),
        ("deleteall", "write try context.deleteAll(Type.self, where:) of LegacyFinders"),
        ("deleteentity", "write context.delete(object)"),
        ("truncateall", "write try context.truncate(Type.self) of LegacyFinders"),
        ("findfirst", "write try context.findFirst(Type.self, where:, sortedBy:) of LegacyFinders"),
        ("find", "write try context.findAll(Type.self, where:, sortedBy:) of LegacyFinders"),
        ("countof", "write try context.countAll(Type.self, where:) of LegacyFinders"),
        ("numberofentities", "write try context.countAll(Type.self, where:) of LegacyFinders"),
        ("hasatleastoneentity", "write try context.countAll(Type.self) > 0 of LegacyFinders"),
        ("aggregate", "write a fetch request with an NSExpressionDescription"),
        ("fetchall", "write an NSFetchedResultsController of a fetch request"),
        ("fetchgrouped", "write an NSFetchedResultsController with a section name key path"),
        ("requestall", "write an NSFetchRequest with a predicate and sort descriptors"),
        ("requestfirst", "write an NSFetchRequest with fetchLimit 1"),
        ("importfrom", "use Importer of module MergeExchange"),
        ("import", "use Importer of module MergeExchange"),
        ("default", "write stack.mainContext"),
        ("rootsaving", "write the stack's root context"),
        ("contextforcurrentthread", "use PerThreadStack.contextForCurrentThread()"),
        ("contextwith", "write stack.makeBackgroundContext()"),
        ("context", "write stack.makeBackgroundContext()"),
        ("newprivatequeue", "write stack.makeBackgroundContext()"),
        ("newmainqueue", "write stack.mainContext"),
        ("savetopersistentstore", "a plain try context.save() of a stack's context does that"),
        ("saveonlyself", "write try stack.saveAndWait(context, reach: .onlySelf)"),
        ("savewith", "write stack.performBackground { context in … }"),
        ("save", "a plain try context.save() of a stack's context reaches the store"),
        ("incontext", "write object.inContext(context)"),
        ("in", "write object.inContext(context)"),
    ]
}
