import CoreData
import Threads

#if !canImport(ObjectiveC)
/// Carries out a plan over a copy that is kept, and says of each way in which it may end how the
/// store is then.
struct StoreMigration {
    /// What an interrupt finds.
    private struct State {
        /// The step under way, from 0.
        var step: Int?
        /// The path of the copy, once it is complete.
        var copy: String?
    }

    private struct Copy {
        let url: URL
        let path: String
    }

    private let plan: StoreMigrationPlan
    /// The store as the user named it.
    private let path: String
    private let keepsCopy: Bool

    init(_ plan: StoreMigrationPlan, _ path: String, keepsCopy: Bool) {
        self.plan = plan
        self.path = path
        self.keepsCopy = keepsCopy
    }

    /// Copies, and migrates step by step.
    ///
    /// - Parameter willBegin: Called with the number of each step, from 0, before it.
    /// - Returns: The path of the copy; nil if none is kept.
    func run(willBegin: (Int) -> Void) throws -> String? {
        let state = Guarded(State())
        let count = plan.steps.count
        let endInStep: @Sendable () -> Void = { [path] in
            Self.endInStep(state.withLock { $0 }, of: count, path)
        }
        let interruption = Interruption(endInStep)
        defer { interruption.end() }
        let copy = keepsCopy ? try makeCopy() : nil
        if interruption.hasHappened {
            if let copy { try StoreCopy.remove(copy.url) }
            Terminal.printError("mergectl: Interrupted. The store \(path) is as it was.")
            throw ToolEnd(code: 130)
        }
        state.withLock { $0.copy = copy?.path }
        let hashes = try versionHashes()
        do {
            try plan.run { number in
                state.withLock { $0.step = number }
                // One that came just before found no step under way, and left it to this one.
                if interruption.hasHappened { endInStep() }
                willBegin(number)
            }
            state.withLock { $0.step = nil }
        } catch {
            state.withLock { $0.step = nil }
            throw failure(error, hashes, copy)
        }
        return copy?.path
    }

    /// Ends the tool if a step is under way.
    ///
    /// A step is one transaction, which SQLite takes back where its process ends. It can't be stopped
    /// otherwise, and would go on to its end.
    private static func endInStep(_ state: State, of count: Int, _ path: String) {
        guard let step = state.step else { return }
        Terminal.printError(
            "mergectl: Interrupted in step \(step + 1) of \(count). The store \(path) is "
                + "whole, as it was before this step"
                + (state.copy.map { "; the copy \($0) stays" } ?? "")
                + ". Migrate it again to go on."
        )
        _exit(130)
    }

    /// Copies the store, and tells the copy also as the user would write it.
    private func makeCopy() throws -> Copy {
        do {
            let url = try StoreCopy.freeName(for: plan.url)
            try StoreCopy.make(of: plan.url, at: url)
            return Copy(url: url, path: UserPath.sibling(url.lastPathComponent, of: path))
        } catch {
            let why =
                error.isFullDisk
                ? "The disk is full: free some space" : Self.sentence(error) + " See to that"
            throw CommandError(
                "The store \(path) can't be copied before it is migrated, and is as it was. \(why), "
                    + "or add --no-copy to do without."
            )
        }
    }

    /// The hashes in the store's metadata: they tell its version.
    private func versionHashes() throws -> NSDictionary? {
        let metadata = try NSPersistentStoreCoordinator.metadataForPersistentStore(
            ofType: NSSQLiteStoreType,
            at: plan.url,
            options: nil
        )
        return metadata[NSStoreModelVersionHashesKey] as? NSDictionary
    }

    /// What to say of a step that has failed.
    private func failure(
        _ error: any Error,
        _ before: NSDictionary?,
        _ copy: Copy?
    ) -> CommandError {
        var parts = [
            error.isFullDisk
                ? "The disk of \(path) is full: a step needs room for the tables that it changes. "
                    + "Free some space, and migrate again."
                : "The store \(path) can't be migrated: \(Self.sentence(error))"
        ]
        do {
            guard let before, try versionHashes() == before else {
                parts.append("It is at one of the versions in between; migrate it again to go on.")
                if let copy { parts.append("As it was, it is in \(copy.path)") }
                return CommandError(parts.joined(separator: " "))
            }
            // Nothing has changed, so that the copy tells nothing; each new try would leave one.
            if let copy { try StoreCopy.remove(copy.url) }
            parts.append("It is as it was.")
        } catch {
            if let copy { parts.append("As it was, it is in \(copy.path)") }
        }
        return CommandError(parts.joined(separator: " "))
    }

    /// An error with what led to it, which is where the entity and the property are named.
    private static func sentence(_ error: any Error) -> String {
        let error = error as NSError
        let cause = error.userInfo[NSUnderlyingErrorKey] as? any Error
        let text = error.localizedDescription
        // What SQLite says itself has no remedy; the error above it does.
        guard error.domain != NSSQLiteErrorDomain else { return "" }
        if let cause, text.contains("see the underlying error") { return sentence(cause) }
        let start = text.hasSuffix(".") ? text : text + "."
        // Some say themselves what led to them.
        guard let cause, !text.contains(cause.localizedDescription) else { return start }
        let rest = sentence(cause)
        return rest.isEmpty ? start : start + " " + rest
    }
}
#endif

extension Error {
    /// Whether a disk is full, here or in what led to this error.
    var isFullDisk: Bool {
        let error = self as NSError
        if error.domain == NSCocoaErrorDomain,
            error.code == CocoaError.fileWriteOutOfSpace.rawValue
        {
            return true
        }
        return (error.userInfo[NSUnderlyingErrorKey] as? any Error)?.isFullDisk ?? false
    }
}
