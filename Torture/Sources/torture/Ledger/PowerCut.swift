import Foundation

/// What the disk may hold when the power fails after some operations.
///
/// A write that was not synchronized is there, is not, or is there up to some sector. Names differ by
/// model. What a file is named is kept apart from what is in it, as on a disk.
struct PowerCut {
    enum Model: String {
        /// A journal that keeps the order of changes of names, and has all of them with each
        /// synchronization of any file: ext4 and XFS.
        case ordered
        /// What POSIX promises: a change of names is there once its folder was synchronized.
        case strict
    }

    private struct File {
        /// What was synchronized.
        var durable: [UInt8] = []
        /// What was written after that.
        var pending: [Operation.Kind] = []
    }

    /// A change of names in one folder.
    private struct NameChange {
        let folder: String
        /// The names that it sets, and what they lead to; nil removes.
        let names: [(path: String, file: Int?)]
    }

    private static let folderMark = -1

    private let model: Model
    private var files: [File] = []
    /// What names lead to now, and on the disk.
    private var names: [String: Int] = ["": folderMark]
    private var durableNames: [String: Int] = ["": folderMark]
    private var pendingNames: [NameChange] = []
    /// What openings are of: a file, or a folder by its path.
    private var openings: [Int64: (file: Int, path: String)] = [:]
    /// The last number that the program has noted.
    private(set) var lastNote = 0

    init(model: Model) { self.model = model }

    // MARK: Operations

    mutating func take(_ operation: Operation) {
        switch operation.kind {
        case .open(let path, let creates, let truncates):
            open(path, operation.opening, creates, truncates)
        case .write, .truncate:
            guard let opening = openings[operation.opening], opening.file >= 0 else { return }
            files[opening.file].pending.append(operation.kind)
        case .synchronize: synchronize(operation.opening)
        case .rename(let from, let to):
            change([(from, nil), (to, names[from])])
        case .link(let from, let to): change([(to, names[from])])
        case .remove(let path): change([(path, nil)])
        case .makeFolder(let path): change([(path, Self.folderMark)])
        case .note(let number): lastNote = number
        }
    }

    private mutating func open(
        _ path: String,
        _ opening: Int64,
        _ creates: Bool,
        _ truncates: Bool
    ) {
        if names[path] == nil {
            guard creates else { return }
            files.append(File())
            change([(path, files.count - 1)])
        }
        guard let file = names[path] else { return }
        openings[opening] = (file, path)
        if truncates, file >= 0 { files[file].pending.append(.truncate(size: 0)) }
    }

    private mutating func change(_ changes: [(path: String, file: Int?)]) {
        for (path, file) in changes { names[path] = file }
        let folders = Set(changes.map { Self.folder(of: $0.path) })
        // A renaming from one folder to another is two changes, which may come apart.
        for folder in folders.sorted() {
            let own = changes.filter { Self.folder(of: $0.path) == folder }
            pendingNames.append(NameChange(folder: folder, names: own))
        }
    }

    private static func folder(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    private mutating func synchronize(_ opening: Int64) {
        guard let (file, path) = openings[opening] else { return }
        if file >= 0 {
            for kind in files[file].pending { Self.apply(kind, to: &files[file].durable) }
            files[file].pending = []
        }
        switch model {
        case .ordered:
            pendingNames.forEach { Self.apply($0, to: &durableNames) }
            pendingNames = []
        case .strict where file < 0:
            for change in pendingNames where change.folder == path {
                Self.apply(change, to: &durableNames)
            }
            pendingNames.removeAll { $0.folder == path }
        case .strict: break
        }
    }

    // MARK: The disk afterwards

    /// Writes what the disk holds, chance deciding over what was not synchronized.
    func write(to place: URL, _ numbers: inout SeededNumbers) throws {
        var names = durableNames
        // Within a folder, and with a journal in all of them, changes are there up to one of them.
        var folders = Set(pendingNames.map(\.folder)).sorted()
        if model == .ordered { folders = folders.isEmpty ? [] : [""] }
        for folder in folders {
            let own = pendingNames.filter { model == .ordered || $0.folder == folder }
            let kept = numbers.number(below: own.count + 1)
            own.prefix(kept).forEach { Self.apply($0, to: &names) }
        }
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for (path, file) in names.sorted(by: { $0.key < $1.key }) where !path.isEmpty {
            // A folder whose own name is lost takes all in it along. The index of the log is made
            // anew by the first who opens the store after a crash.
            guard isReachable(path, names), !path.hasSuffix("-shm") else { continue }
            let url = place.appendingPathComponent(String(path.dropFirst()))
            if file == Self.folderMark {
                try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            } else {
                try Data(content(of: files[file], &numbers)).write(to: url)
            }
        }
    }

    private func isReachable(_ path: String, _ names: [String: Int]) -> Bool {
        var folder = Self.folder(of: path)
        while !folder.isEmpty {
            if names[folder] != Self.folderMark { return false }
            folder = Self.folder(of: folder)
        }
        return true
    }

    private func content(of file: File, _ numbers: inout SeededNumbers) -> [UInt8] {
        var bytes = file.durable
        for kind in file.pending {
            switch numbers.number(below: 3) {
            case 0: Self.apply(kind, to: &bytes)
            case 1:
                // A part: up to the end of some sector.
                guard case .write(let offset, let all) = kind else { continue }
                let sectors = numbers.number(below: all.count / 512 + 1)
                guard sectors > 0 else { continue }
                let part = Array(all.prefix(sectors * 512))
                Self.apply(.write(offset: offset, bytes: part), to: &bytes)
            default: break
            }
        }
        return bytes
    }

    private static func apply(_ change: NameChange, to names: inout [String: Int]) {
        for (path, file) in change.names { names[path] = file }
    }

    private static func apply(_ kind: Operation.Kind, to bytes: inout [UInt8]) {
        func grow(to size: Int) {
            if bytes.count < size {
                bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
            }
        }
        switch kind {
        case .write(let offset, let written):
            grow(to: offset + written.count)
            bytes.replaceSubrange(offset..<(offset + written.count), with: written)
        case .truncate(let size):
            grow(to: size)
            bytes.removeLast(bytes.count - size)
        default: break
        }
    }
}
