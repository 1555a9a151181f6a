import CoreData
import Foundation
import MergeExchange
import MergeStack

/// Reads commands from the terminal or from a pipe, and carries them out on the main queue.
@main
enum App {
    static func main() {
        setvbuf(stdout, nil, Int32(_IOLBF), 0)
        // The main thread serves the main queue, as it does in an app with windows.
        Thread.detachNewThread {
            do {
                try run(Array(CommandLine.arguments.dropFirst()))
                exit(0)
            } catch {
                print("Shelf: \(error.localizedDescription)")
                exit(1)
            }
        }
        dispatchMain()
    }

    /// > Threading: Off the main queue.
    private static func run(_ arguments: [String]) throws {
        if arguments.count == 3, arguments[0] == "--make-seed" {
            try makeSeed(
                from: URL(fileURLWithPath: arguments[1]),
                at: URL(fileURLWithPath: arguments[2])
            )
            return
        }
        let folder =
            try arguments.first.map { URL(fileURLWithPath: $0, isDirectory: true) }
            ?? FileManager.default.url(
                for: .applicationSupportDirectory,
                in: .userDomainMask,
                appropriateFor: nil,
                create: true
            ).appendingPathComponent("Shelf", isDirectory: true)
        let screen = try DispatchQueue.main.sync { try Screen(in: folder) { print($0) } }
        let isTerminal = isatty(STDIN_FILENO) == 1
        while true {
            if isTerminal { print("> ", terminator: "") }
            fflush(stdout)
            guard let line = readLine() else { break }
            switch DispatchQueue.main.sync(execute: { screen.run(line) }) {
            case .command: continue
            case .backgroundWork: screen.waitForBackground()
            case .end: return
            }
        }
        // The commands have ended: what they have begun has not.
        screen.waitForBackground()
    }

    /// Makes the store that the app comes with.
    private static func makeSeed(from books: URL, at store: URL) throws {
        let stack = try NotificationMergeStack(
            model: Book.model,
            stores: [NSPersistentStoreDescription(url: store)]
        )
        let counts = try Importer(stack: stack).importFileAndWait(at: books, entityName: "Book")
        stack.waitUntilSettled()
        try DispatchQueue.main.sync { try stack.tearDown() }
        print("\(counts.createdCount) books are in \(store.lastPathComponent).")
    }
}
