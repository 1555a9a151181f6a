import Foundation

/// What the disk may hold when the power fails after some operations, or the program is killed.
///
/// At a power cut a write that was not synchronized is there, is not, or is there up to some sector.
/// Names differ by model. What a file or folder is named is kept apart from what is in it, as on a
/// disk: a folder that gets another name takes along what is in it.
struct PowerCut {
    enum Model: String, CaseIterable {
        /// No power cut: the program alone ends, and the system has all that it did.
        case killed
        /// A journal that keeps the order of changes of names, and has all of them with each
        /// synchronization of any file: ext4 and XFS.
        case ordered
        /// What POSIX promises: a change of names is there once its folder was synchronized.
        case strict
    }

    /// A file or a folder.
    private struct Node {
        var isFolder = false
        /// A file's bytes that were synchronized.
        var durable: [UInt8] = []
        /// What was written after that.
        var pending: [Operation.Kind] = []
        /// What the names in a folder lead to now, and on the disk.
        var names: [String: Int] = [:]
        var durableNames: [String: Int] = [:]
    }

    /// A change of names in one folder: what they lead to then; nil removes.
    private struct NameChange {
        let folder: Int
        let names: [(name: String, node: Int?)]
    }

    private static let root = 0

    private let model: Model
    private var nodes = [Node(isFolder: true)]
    private var pendingNames: [NameChange] = []
    /// What openings are of.
    private var openings: [Int64: Int] = [:]
    /// The last number that the program has noted.
    private(set) var lastNote = 0

    /// - Parameter content: What is on the disk before the first operation.
    init(model: Model, from content: FolderContent = FolderContent()) {
        self.model = model
        // Folders come before what is in them.
        for (path, bytes) in content.entries.sorted(by: { $0.key < $1.key }) {
            nodes.append(Node(isFolder: bytes == nil, durable: bytes ?? []))
            guard let place = place(path) else { continue }
            nodes[place.folder].names[place.name] = nodes.count - 1
            nodes[place.folder].durableNames[place.name] = nodes.count - 1
        }
    }

    // MARK: Operations

    mutating func take(_ operation: Operation) {
        switch operation.kind {
        case .open(let path, let creates, let truncates):
            open(path, operation.opening, creates, truncates)
        case .write, .truncate:
            guard let node = openings[operation.opening], !nodes[node].isFolder else { return }
            nodes[node].pending.append(operation.kind)
        case .synchronize: synchronize(operation.opening)
        case .rename(let from, let to): rename(from, to)
        case .link(let from, let to):
            if let node = node(from) { change(to, node) }
        case .remove(let path): change(path, nil)
        case .makeFolder(let path):
            nodes.append(Node(isFolder: true))
            change(path, nodes.count - 1)
        case .note(let number): lastNote = number
        }
    }

    private mutating func open(
        _ path: String,
        _ opening: Int64,
        _ creates: Bool,
        _ truncates: Bool
    ) {
        if node(path) == nil {
            guard creates else { return }
            nodes.append(Node())
            change(path, nodes.count - 1)
        }
        guard let node = node(path) else { return }
        openings[opening] = node
        if truncates, !nodes[node].isFolder { nodes[node].pending.append(.truncate(size: 0)) }
    }

    private mutating func rename(_ from: String, _ to: String) {
        guard let node = node(from), let old = place(from), let new = place(to) else { return }
        guard old.folder != new.folder else {
            return change(old.folder, [(old.name, nil), (new.name, node)])
        }
        // From one folder to another it is two changes, which may come apart.
        change(new.folder, [(new.name, node)])
        change(old.folder, [(old.name, nil)])
    }

    private mutating func change(_ path: String, _ node: Int?) {
        guard let place = place(path) else { return }
        change(place.folder, [(place.name, node)])
    }

    private mutating func change(_ folder: Int, _ names: [(name: String, node: Int?)]) {
        for (name, node) in names { nodes[folder].names[name] = node }
        pendingNames.append(NameChange(folder: folder, names: names))
    }

    private mutating func synchronize(_ opening: Int64) {
        guard let node = openings[opening] else { return }
        for kind in nodes[node].pending { Self.apply(kind, to: &nodes[node].durable) }
        nodes[node].pending = []
        switch model {
        case .killed, .ordered:
            pendingNames.forEach { apply($0) }
            pendingNames = []
        case .strict:
            pendingNames.filter { $0.folder == node }.forEach { apply($0) }
            pendingNames.removeAll { $0.folder == node }
        }
    }

    private mutating func apply(_ change: NameChange) {
        for (name, node) in change.names { nodes[change.folder].durableNames[name] = node }
    }

    // MARK: Names

    /// The folder that a path leads through last, and the name in it; nil if there is none.
    private func place(_ path: String) -> (folder: Int, name: String)? {
        var parts = path.split(separator: "/").map(String.init)
        guard let name = parts.popLast() else { return nil }
        var folder = Self.root
        for part in parts {
            guard let next = nodes[folder].names[part] else { return nil }
            folder = next
        }
        return (folder, name)
    }

    private func node(_ path: String) -> Int? {
        guard let place = place(path) else { return path.isEmpty ? Self.root : nil }
        return nodes[place.folder].names[place.name]
    }

    // MARK: The disk afterwards

    /// Writes what the disk holds, chance deciding over what was not synchronized.
    func write(to place: URL, _ numbers: inout SeededNumbers) throws {
        var end = self
        switch model {
        case .killed: pendingNames.forEach { end.apply($0) }
        case .ordered:
            let kept = numbers.number(below: pendingNames.count + 1)
            pendingNames.prefix(kept).forEach { end.apply($0) }
        case .strict:
            // Within a folder, changes are there up to one of them.
            for folder in Set(pendingNames.map(\.folder)).sorted() {
                let own = pendingNames.filter { $0.folder == folder }
                own.prefix(numbers.number(below: own.count + 1)).forEach { end.apply($0) }
            }
        }
        try end.write(Self.root, to: place, &numbers)
    }

    private func write(
        _ folder: Int,
        to place: URL,
        _ numbers: inout SeededNumbers
    ) throws {
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        for (name, node) in nodes[folder].durableNames.sorted(by: { $0.key < $1.key }) {
            // The index of the log is made anew by the first who opens the store after a crash.
            guard !name.hasSuffix("-shm") else { continue }
            // Who made it has ended, and must not pass for this process.
            let name = name.replacingOccurrences(of: "-\(getpid())-", with: "-\(Int32.max)-")
            let url = place.appendingPathComponent(name)
            if nodes[node].isFolder {
                try write(node, to: url, &numbers)
            } else {
                try Data(content(of: nodes[node], &numbers)).write(to: url)
            }
        }
    }

    private func content(of node: Node, _ numbers: inout SeededNumbers) -> [UInt8] {
        var bytes = node.durable
        for kind in node.pending {
            switch model == .killed ? 0 : numbers.number(below: 3) {
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
