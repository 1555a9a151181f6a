import CoreData
import Foundation

// Imports airports.csv with one worker in batches of 1,000 (parsing, find-or-create, relationship, save, merge
// into main), and inserts the same rows, already parsed, with bare SQLite into the same tables with the same
// pragmas and batches. The two alternate; the ratio of the medians counts.
//
// Usage: import-bench FOLDER [rounds]

let arguments = Array(CommandLine.arguments.dropFirst())
guard let folder = arguments.first else {
    FileHandle.standardError.write(Data("usage: import-bench FOLDER-OF-WORLD [rounds]\n".utf8))
    exit(2)
}
let rounds = arguments.dropFirst().first.flatMap(Int.init) ?? 7
Thread.detachNewThread {
    do {
        try ImportBench(world: URL(fileURLWithPath: folder)).run(rounds: rounds)
        exit(0)
    } catch {
        FileHandle.standardError.write(Data("import-bench: \(error.localizedDescription)\n".utf8))
        exit(1)
    }
}
RunLoop.main.run()
