import Foundation
import Threads

/// One installation of a prepared store, while its folder is locked.
struct SeedInstallation {
    /// A part of a store: what it is at its source, while it is copied, and at its place.
    private struct Part {
        let source: URL
        let staged: URL
        let target: URL
    }

    private let source: URL
    private let target: URL
    private let staging: URL
    private let files: SeedFileOperations
    private let main: Part
    private let companions: [Part]

    init(from source: URL, to target: URL, _ files: SeedFileOperations) {
        self.source = source
        self.target = target
        self.files = files
        let folder = target.deletingLastPathComponent()
        let staging = folder.appendingPathComponent(
            ".\(target.lastPathComponent).seeding",
            isDirectory: true
        )
        self.staging = staging
        func part(_ name: (URL) -> String) -> Part {
            Part(
                source: source.deletingLastPathComponent().appendingPathComponent(name(source)),
                staged: staging.appendingPathComponent(name(target)),
                target: folder.appendingPathComponent(name(target))
            )
        }
        main = part { $0.lastPathComponent }
        companions = [
            part { $0.lastPathComponent + "-wal" },
            part { $0.lastPathComponent + "-shm" },
            // Where stores keep large values.
            part { ".\($0.deletingPathExtension().lastPathComponent)_SUPPORT" },
        ]
    }

    func run() throws -> Bool {
        if exists(target) {
            // An installation that was cut short after its last step has left this.
            removeStaging()
            return false
        }
        guard exists(source) else {
            throw MergeStackError(
                .seedNotInstalled,
                "There is no prepared store \(source.lastPathComponent)."
            )
        }
        try clear()
        var placed: [URL] = []
        do {
            try files.makeFolder(staging)
            let parts = companions.filter { exists($0.source) }
            for part in parts + [main] { try files.copy(part.source, to: part.staged) }
            // Companions first: a store's file without its write-ahead log is a whole store to
            // SQLite, one that lacks what the log has.
            for part in parts {
                try files.move(part.staged, to: part.target)
                placed.append(part.target)
            }
            // The companions' names must not be lost where the store's own is kept.
            try FolderLock.synchronize(target.deletingLastPathComponent())
            // A link fails where the name is taken, which a rename does not: nothing is
            // overwritten.
            try files.link(main.staged, to: main.target)
        } catch {
            // In this order: without the staging folder, companions that are left behind would look
            // like those of a store that was moved, and every later installation would refuse.
            if takeAway(placed) { removeStaging() }
            throw error
        }
        removeStaging()
        try FolderLock.synchronize(target.deletingLastPathComponent())
        return true
    }

    /// Removes what an installation that was cut short has left.
    private func clear() throws {
        let remains = companions.map(\.target).filter(exists)
        if exists(staging) {
            // It began when there was none of these, so they are its own.
            for url in remains { try files.remove(url) }
            try files.remove(staging)
        } else if let first = remains.first {
            throw MergeStackError(
                .seedNotInstalled,
                "There is \(first.lastPathComponent), but no store \(target.lastPathComponent): it "
                    + "may hold data of a store that was moved. Move it away, or put the store back."
            )
        }
    }

    /// Removes what this installation has put in place.
    ///
    /// - Returns: Whether it is gone; as long as it is not, the staging folder tells whose it is.
    private func takeAway(_ placed: [URL]) -> Bool {
        do {
            for url in placed { try files.remove(url) }
            return true
        } catch {
            return false
        }
    }

    /// Removes the staging folder; if that fails, the next installation will.
    private func removeStaging() {
        guard exists(staging) else { return }
        do {
            try files.remove(staging)
        } catch {
            return
        }
    }

    private func exists(_ url: URL) -> Bool { FileManager.default.fileExists(atPath: url.path) }
}
