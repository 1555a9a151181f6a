import Foundation

/// The file of a store that is on its way into its coordinator's list.
final class StoreClaim: Sendable {
    let path: String

    init(_ url: URL) {
        // Several paths may lead to one file.
        path = url.isFileURL ? ResolvedPath.of(url.standardizedFileURL.path) : url.absoluteString
    }
}

extension NSPersistentStoreCoordinator {
    /// Keeps others from adding a store of the same file until the claim is released: opening it
    /// takes long, and runs client code, so that no lock can be held.
    ///
    /// - Returns: nil for a store that is no file of its own.
    /// - Throws: 134080 if somebody is adding it.
    func claim(_ url: URL, _ storeClass: any RowStore.Type) throws -> StoreClaim? {
        guard storeClass.isFile, !url.isNullDevice else { return nil }
        let claim = StoreClaim(url)
        let holder = state.withLock { state in
            let holder = state.claims[claim.path] ?? claim
            state.claims[claim.path] = holder
            return holder
        }
        guard holder === claim else {
            throw CocoaError.storeOpen(
                url,
                "it is being added to this coordinator already; wait for that, and use its store"
            )
        }
        return claim
    }

    /// Lets others add the file; nothing if the claim was released before.
    func release(_ claim: StoreClaim?) { state.withLock { $0.release(claim) } }
}

extension NSPersistentStoreCoordinator.State {
    mutating func release(_ claim: StoreClaim?) {
        // By identity: somebody else may have claimed the file since.
        guard let claim, claims[claim.path] === claim else { return }
        claims[claim.path] = nil
    }
}
