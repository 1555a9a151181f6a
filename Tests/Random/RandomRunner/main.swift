import Foundation
import RandomRuns

// `make random`: runs sequences of each kind of random test, and shrinks what fails.
//
//     random-runs [--family <name>] [--seed <first>] [--sequences <count>] [--failures <most>]
//                 [--jobs <count>]
//
// Sequences run in a process of their own, since what they find may stop it. `--worker` is that
// process; `--steps` are the steps of one sequence that it takes. `--jobs` are processes at once.

let arguments = Arguments()
let seed = arguments.value("seed").flatMap { UInt64($0) } ?? 1
let count = arguments.value("sequences").flatMap { UInt64($0) } ?? 1_000
let families: [any RandomFamily.Type]
if let name = arguments.value("family") {
    guard let family = RandomFamilies.named(name) else {
        say("There is no \(name); there are \(RandomFamilies.all.map { $0.name }).")
        exit(64)
    }
    families = [family]
} else {
    families = RandomFamilies.all
}
if arguments.has("worker") {
    let progress = arguments.value("progress") ?? "/dev/null"
    let worker = Worker(family: families[0], progress: URL(fileURLWithPath: progress))
    if let steps = arguments.value("steps") {
        let numbers = steps.split(separator: ",").compactMap { Int($0) }
        let sequence = RandomSequence(seed: seed, steps: numbers)
        worker.check(sequence, isLoud: arguments.has("loud"))
    } else {
        worker.run(seed, count)
    }
} else {
    let limit = arguments.value("failures").flatMap { Int($0) } ?? 1
    let jobs = arguments.value("jobs").flatMap { UInt64($0) } ?? 1
    var failures = 0
    if jobs > 1 {
        for family in families {
            failures += try Jobs(family: family, count: jobs, failureLimit: limit).run(seed, count)
        }
    } else {
        // Memory, where it can be had: a sequence makes a store.
        let isShared = FileManager.default.isWritableFile(atPath: "/dev/shm")
        let base =
            isShared ? URL(fileURLWithPath: "/dev/shm") : FileManager.default.temporaryDirectory
        let folder = base.appendingPathComponent("random-runs-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for family in families {
            let workers = WorkerProcesses(family: family, folder: folder)
            failures += try Supervisor(workers: workers, failureLimit: limit).run(seed, count)
        }
        try FileManager.default.removeItem(at: folder)
    }
    exit(failures == 0 ? 0 : 1)
}
