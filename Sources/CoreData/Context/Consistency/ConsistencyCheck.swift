import Foundation

/// Whether contexts check that what they show is true, and stop the program where it is not.
///
/// Switched on by the launch argument `-com.apple.CoreData.ConsistencyCheck 1`, or by
/// `COREDATA_CONSISTENCY_CHECK=1` in the environment. A context then checks itself at the end of
/// each merge, save and roll-back, where a merge layer says that all saves are merged, and where a
/// test asks for it. Nothing is changed by it: no fault is fired, no object registered. Off, it
/// costs a test of a flag.
///
/// What is checked stands in a file each: `IdentityInvariant`, `FreshnessInvariant`,
/// `VersionInvariant`, `RelationshipInvariant`, `RequiredValueInvariant`, and for results
/// controllers `ResultsInvariant`.
enum ConsistencyCheck {
    static let isOn: Bool = {
        let isOn = asked
        // Once for the process, with the first context that is made.
        if isOn { observeRequests() }
        return isOn
    }()

    private static var asked: Bool {
        if let value = ProcessInfo.processInfo.environment["COREDATA_CONSISTENCY_CHECK"] {
            return value != "0" && !value.isEmpty
        }
        let arguments = CommandLine.arguments
        guard let index = arguments.firstIndex(of: "-com.apple.CoreData.ConsistencyCheck"),
            index + 1 < arguments.count
        else { return false }
        return arguments[index + 1] != "0"
    }

    /// Posted by a merge layer, with the context as its object, on the context's queue: all saves
    /// that the layer has heard of are merged. Under `isSettledKey` a closure says whether that is
    /// still so. Known by its name, so that who posts it needs Apple's API only.
    static let requestName = Notification.Name("COREDATA_CONSISTENCY_CHECK")
    static let isSettledKey = "isSettled"
    /// The key that says that the layer has begun to hear of saves, and knows of none before.
    static let beginsKey = "begins"

    private static func observeRequests() {
        // Never ended: the check is on for as long as the process lives.
        _ = NotificationCenter.default.addObserver(
            forName: requestName,
            object: nil,
            queue: nil
        ) { notification in
            guard let context = notification.object as? NSManagedObjectContext else { return }
            if notification.userInfo?[beginsKey] != nil {
                context.consistency?.beginFollowing()
                return
            }
            let isSettled = notification.userInfo?[isSettledKey] as? @Sendable () -> Bool
            context.checkConsistency(isSettled: isSettled ?? { true })
        }
    }

    /// Stops the program with what was found. Under `COREDATA_CONSISTENCY_CHECK=report` it is
    /// printed only.
    static func stop(_ found: [Inconsistency], in context: NSManagedObjectContext) {
        let text =
            "CoreData consistency check: in \(context)\n  "
            + found.prefix(10).map(\.sentence).joined(separator: "\n  ")
        guard isReporting else { fatalError(text) }
        print(text)
    }

    private static let isReporting =
        ProcessInfo.processInfo.environment["COREDATA_CONSISTENCY_CHECK"] == "report"
}

/// Something that a context shows and that can't be.
struct Inconsistency: Hashable, CustomStringConvertible {
    /// Names the object and both values.
    let sentence: String
    var description: String { sentence }

    init(_ object: NSManagedObject, _ text: String) {
        sentence = "\(object.consistencyName) \(text)"
    }
}

extension NSManagedObject {
    /// The object as it is named in findings; reading it has no effects.
    final var consistencyName: String {
        let key = primaryKey > 0 ? "p\(primaryKey)" : "t\(-primaryKey)"
        return "\(layout.name)/\(key)"
    }
}

extension Row {
    /// A value as it stands in findings.
    func consistencyText(_ slot: PropertySlot) -> String { "\(value(slot.index, slot.kind))" }

    /// The first slot in which two rows of one entity differ; what the store derives is left out,
    /// for it changes without a save of the row.
    func firstDifference(from other: Row, _ layout: EntityLayout) -> PropertySlot? {
        guard entityIndex == other.entityIndex, self !== other else { return nil }
        return layout.slots.first { slot in
            slot.kind.isInRow && !(slot.property is NSDerivedAttributeDescription)
                && !value(slot.index, slot.kind).isSame(as: other.value(slot.index, slot.kind))
        }
    }
}
