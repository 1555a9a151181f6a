import Foundation

/// Runs the points of a plan in this process, and writes down what each gave before it begins the
/// next: the process may stop at any of them.
struct Worker {
    let row: any TortureRow
    let options: Options
    let files: RunFiles

    func run() throws {
        let plan = try files.readPlan()
        let folder = try WorkFolder()
        defer { folder.remove() }
        let runner = try row.makeRunner(options, in: folder.url)
        let results = try FileHandle(forWritingTo: files.results)
        try results.seekToEnd()
        let progress = ProgressFile(files.progress)
        var after = options.after
        for line in (options.line ?? 0)..<max(options.line ?? 0, plan.points.count) {
            for point in PointSequence(plan.points[line], after: after) {
                progress.write(line, point)
                let result = try runner.run(point)
                let isEnd = result == nil || !plan.points[line].hasSuffix("*")
                let entry = RunFiles.Entry(
                    line: line,
                    point: point,
                    result: result ?? PointResult(figures: ["beyond": 1]),
                    isEnd: isEnd
                )
                try results.write(contentsOf: JSONEncoder().encode(entry) + Data("\n".utf8))
                if isEnd { break }
            }
            after = nil
        }
    }
}

/// The points that a line of a plan stands for.
struct PointSequence: Sequence, IteratorProtocol {
    private let stem: String?
    private var number: Int
    private var single: String?

    init(_ line: String, after: String?) {
        guard line.hasSuffix("*") else {
            (stem, number, single) = (nil, 0, line)
            return
        }
        stem = String(line.dropLast())
        number = after.flatMap { Int($0.split(separator: "/").last ?? "") } ?? 0
    }

    mutating func next() -> String? {
        guard let stem else {
            defer { single = nil }
            return single
        }
        number += 1
        return stem + "\(number)"
    }
}

/// Where a worker is: a small file, written in place.
struct ProgressFile {
    private let descriptor: Int32

    init(_ url: URL) { descriptor = open(url.path, O_WRONLY | O_CREAT | O_TRUNC, 0o644) }

    func write(_ line: Int, _ point: String) {
        var text = "\(line)\n\(point)\n"
        text += String(repeating: " ", count: Swift.max(0, 120 - text.utf8.count))
        _ = text.withUTF8 { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
    }
}

/// A folder for stores: in memory where it can be, for nothing here waits for a disk.
struct WorkFolder {
    let url: URL

    init() throws {
        let isShared = FileManager.default.isWritableFile(atPath: "/dev/shm")
        let base =
            isShared ? URL(fileURLWithPath: "/dev/shm") : FileManager.default.temporaryDirectory
        url = base.appendingPathComponent("torture-\(getpid())")
        if FileManager.default.fileExists(atPath: url.path) { remove() }
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// What can't be removed is left, as after a crash: the folder is named after the process.
    func remove() { try? FileManager.default.removeItem(at: url) }
}
