import Foundation

/// Another process that has a lock on a store, by SQLite alone.
enum LockChild {
    enum Kind: String {
        case reading, writing
        /// Nobody else can open it.
        case all
    }

    /// Takes the lock, says so, and keeps it until its input ends.
    static func run(_ path: String, _ kind: String) throws {
        guard let kind = Kind(rawValue: kind) else {
            throw UsageError(text: "there is no lock \(kind)")
        }
        let database = try Database(path)
        if kind == .all { _ = try database.strings("PRAGMA locking_mode = EXCLUSIVE") }
        _ = try database.strings(kind == .reading ? "BEGIN" : "BEGIN IMMEDIATE")
        _ = try database.strings("SELECT Z_NAME FROM Z_PRIMARYKEY")
        if kind == .all { _ = try database.strings("UPDATE Z_PRIMARYKEY SET Z_MAX = Z_MAX") }
        print("locked")
        fflush(nil)
        _ = FileHandle.standardInput.readDataToEndOfFile()
        database.close()
    }
}

/// Has another process hold a lock.
final class LockHolder {
    private let process = Process()
    private let input = Pipe()

    init(_ url: URL, _ kind: LockChild.Kind) throws {
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = ["lock-child", url.path, kind.rawValue]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        guard try output.fileHandleForReading.read(upToCount: 7)?.count == 7 else {
            throw NotPossibleHere(reason: "another process can't lock the store")
        }
    }

    func end() {
        // The child ends with its input.
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }
}
