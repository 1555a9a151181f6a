import CTorture
import CoreData
import Foundation
import MergeStack

/// What this process holds that only its end gives back otherwise.
struct Footprint {
    /// How many observers there are of each kind of notification.
    let observers: [String: Int]
    /// What each open descriptor leads to.
    let files: [String]
    /// The bytes of memory that are in use.
    let memory: Int

    private static let names: [Notification.Name] = [
        .NSManagedObjectContextWillSave, .NSManagedObjectContextDidSave,
        .NSManagedObjectContextObjectsDidChange, .NSPersistentStoreRemoteChange,
        .NSPersistentStoreCoordinatorStoresDidChange, DidSaveMerger.didMergeNotification,
        NSManagedObjectContext.didSaveObjectIDsNotification,
        NSManagedObjectContext.didMergeChangesObjectIDsNotification,
    ]

    static func now() throws -> Footprint {
        var observers: [String: Int] = [:]
        for name in names { observers[name.rawValue] = try observerCount(name) }
        let files = try openFiles()
        memory_give_back()
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
            .split(separator: " ")
        guard pages.count > 1, let resident = Int(pages[1]) else {
            throw UsageError(text: "/proc/self/statm can't be understood")
        }
        return Footprint(
            observers: observers,
            files: files,
            memory: resident * Int(getpagesize())
        )
    }

    /// How much memory may be in use that was not before: what allocators keep for themselves.
    static let memoryLimit = 5 << 20

    /// What is there that was not there before, in sentences.
    func growth(since base: Footprint) -> [String] {
        var wrong: [String] = []
        for (name, count) in observers.sorted(by: { $0.key < $1.key }) {
            let more = count - (base.observers[name] ?? 0)
            if more > 0 { wrong.append("\(more) observers of \(name) are left") }
        }
        let left = filesLeft(since: base)
        if !left.isEmpty {
            wrong.append("\(left.count) files are left open: " + left.joined(separator: ", "))
        }
        if memory - base.memory > Self.memoryLimit {
            wrong.append("\((memory - base.memory) >> 10) KiB of memory are in use")
        }
        return wrong
    }

    /// How many descriptors SQLite may keep for a database: one that is closed while another
    /// connection of the process has a lock is kept for the next connection, since closing it would
    /// take the lock away (its documentation of POSIX advisory locks).
    private static let parkedLimit = 2

    /// What more descriptors than before lead to.
    private func filesLeft(since base: Footprint) -> [String] {
        var known = base.files
        let more = files.filter { file in
            guard let index = known.firstIndex(of: file) else { return true }
            known.remove(at: index)
            return false
        }
        return more.filter { file in
            let isOpenDatabase = files.contains("\(file)-wal")
            return !isOpenDatabase || more.count { $0 == file } > Self.parkedLimit
        }
    }

    /// The files, folders and sockets that are open. What Dispatch waits with is left out, which it
    /// makes when it is first waited for a timer, and keeps.
    private static func openFiles() throws -> [String] {
        let ownOfDispatch = ["eventfd", "timerfd", "eventpoll"].map { "anon_inode:[\($0)]" }
        let folder = "/proc/self/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { number in
            // The descriptor of the listing itself is closed by now.
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(folder)/\(number)"
            )
            return target.flatMap { ownOfDispatch.contains($0) ? nil : $0 }
        }
    }

    /// Foundation counts the registrations of a name from 0, and gives the numbers of those that have
    /// ended to the next ones: after as many as there may be gaps, the next number is the count.
    private static func observerCount(_ name: Notification.Name) throws -> Int {
        let center = NotificationCenter.default
        var tokens: [any NSObjectProtocol] = []
        defer { for token in tokens { center.removeObserver(token) } }
        var last = -1
        for _ in 0..<probeCount {
            let token = center.addObserver(forName: name, object: nil, queue: nil) { _ in }
            tokens.append(token)
            last = max(last, try number(of: token))
        }
        return last + 1 - probeCount
    }

    private static let probeCount = 200

    private static func number(of token: any NSObjectProtocol) throws -> Int {
        for child in Mirror(reflecting: token).children {
            for inner in Mirror(reflecting: child.value).children where inner.label == "token" {
                if let number = inner.value as? any BinaryInteger { return Int(number) }
            }
        }
        throw UsageError(text: "observers can't be counted: Foundation's tokens have no numbers")
    }
}

/// Objects that have to go.
struct Departures {
    private struct Reference { weak var object: AnyObject? }
    private var references: [Reference] = []

    mutating func expect(_ objects: AnyObject...) {
        references += objects.map { Reference(object: $0) }
    }

    mutating func expect(all objects: some Sequence<NSManagedObject>) {
        references += objects.map { Reference(object: $0) }
    }

    /// How many are still there after a while: a notification is let go of by another queue.
    func remaining() -> Int {
        let end = Date(timeIntervalSinceNow: 10)
        while references.contains(where: { $0.object != nil }), Date() < end {
            RunLoop.main.run(until: Date(timeIntervalSinceNow: 0.001))
        }
        return references.count { $0.object != nil }
    }
}
