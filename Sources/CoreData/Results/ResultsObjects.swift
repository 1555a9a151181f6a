/// Objects in order, cut into chunks, which one state of a list shares with the next: a change
/// copies the chunks that it is about, and looks at no object of the others.
///
/// > Threading: Confined to the context's queue.
struct ResultsObjects: RandomAccessCollection {
    final class Chunk {
        /// The same in the next state, unless the chunk is cut or joined to another.
        let number: Int
        let objects: [NSManagedObject]

        init(_ number: Int, _ objects: [NSManagedObject]) {
            self.number = number
            self.objects = objects
        }
    }
    private final class State {}

    /// How many objects a chunk has at most in a list of so many.
    ///
    /// A change goes over all chunks, and copies those that it is about, which takes a look at each of
    /// their objects. By estimate the two take least together near half the square root, where some
    /// tens of chunks are hit.
    private static func chunkSize(_ count: Int) -> Int {
        Swift.min(Swift.max(Int(Double(count).squareRoot() / 2), 64), 512)
    }

    private(set) var chunks: [Chunk] = []
    /// Where each chunk begins, and at the end the count of all objects.
    private var starts = [0]
    private var nextNumber = 0
    private let state = State()

    init(_ objects: [NSManagedObject]) {
        let size = Self.chunkSize(objects.count)
        starts.reserveCapacity(objects.count / size + 2)
        var rest = objects[...]
        while !rest.isEmpty {
            appendNew(Array(rest.prefix(size)))
            rest = rest.dropFirst(size)
        }
    }

    /// Whether this is a copy of other objects, not just the same ones.
    func isSameState(as other: ResultsObjects) -> Bool { state === other.state }

    // MARK: Access

    var startIndex: Int { 0 }
    var endIndex: Int { starts[chunks.count] }

    subscript(index: Int) -> NSManagedObject {
        let chunk = chunkPlace(of: index)
        return chunks[chunk].objects[index - starts[chunk]]
    }

    /// Where the chunk at a place begins.
    func start(ofChunkAt place: Int) -> Int { starts[place] }

    func makeIterator() -> FlattenSequence<LazyMapSequence<[Chunk], [NSManagedObject]>>.Iterator {
        chunks.lazy.map(\.objects).joined().makeIterator()
    }

    /// The objects as an array.
    var array: [NSManagedObject] {
        var all: [NSManagedObject] = []
        all.reserveCapacity(count)
        for chunk in chunks { all += chunk.objects }
        return all
    }

    private func chunkPlace(of index: Int) -> Int {
        var low = 0, high = chunks.count - 1
        while low < high {
            // Rounded up: rounded down, the search would not end with two chunks left.
            let middle = (low + high + 1) / 2
            if starts[middle] <= index { low = middle } else { high = middle - 1 }
        }
        return low
    }

    // MARK: Changes

    /// An object that the chunk with a number has, and had not before.
    typealias Entry = (object: NSManagedObject, chunk: Int)

    /// The next state.
    func applying(_ edit: ResultsEdit) -> (objects: ResultsObjects, entered: [Entry]) {
        var next = ResultsObjects([])
        next.nextNumber = nextNumber
        let size = Self.chunkSize(count)
        var entered: [Entry] = []
        var removed = edit.removed[...], inserted = edit.inserted[...]
        for (place, chunk) in chunks.enumerated() {
            // What is inserted behind the last object goes into the last chunk.
            let end = place == chunks.count - 1 ? Int.max : starts[place + 1]
            guard
                removed.first.map({ $0 < end }) == true
                    || inserted.first.map({ $0.before < end }) == true
            else {
                next.append(chunk)
                continue
            }
            var content: [NSManagedObject] = []
            content.reserveCapacity(chunk.objects.count + 8)
            var offset = 0
            while true {
                let goes = removed.first ?? .max, comes = inserted.first?.before ?? .max
                let index = Swift.min(goes, comes)
                guard index < end else { break }
                content += chunk.objects[offset..<index - starts[place]]
                offset = index - starts[place]
                if comes <= goes {
                    let object = inserted.removeFirst().object
                    content.append(object)
                    entered.append((object, chunk.number))
                } else {
                    removed.removeFirst()
                    offset += 1
                }
            }
            content += chunk.objects[offset...]
            next.append(content, chunk.number, size, &entered)
        }
        // Into an empty list.
        if chunks.isEmpty {
            next = ResultsObjects(inserted.map(\.object))
            for chunk in next.chunks { entered += chunk.objects.map { ($0, chunk.number) } }
        }
        return (next, entered)
    }

    private mutating func append(_ chunk: Chunk) {
        starts.append(endIndex + chunk.objects.count)
        chunks.append(chunk)
    }

    private mutating func appendNew(_ content: [NSManagedObject]) {
        append(Chunk(nextNumber, content))
        nextNumber += 1
    }

    /// Appends what a chunk has become: cut if it is too large, joined to the last one if both are
    /// small, for many deletions would else leave many chunks of few objects.
    private mutating func append(
        _ content: [NSManagedObject],
        _ number: Int,
        _ size: Int,
        _ entered: inout [Entry]
    ) {
        guard !content.isEmpty else { return }
        // Less than a whole chunk, so that the next insertion does not cut it again.
        if let last = chunks.last, last.objects.count + content.count <= size / 2 {
            chunks.removeLast()
            starts.removeLast()
            append(Chunk(last.number, last.objects + content))
            entered += content.map { ($0, last.number) }
            return
        }
        // Parts of about the same size leave room in all for what comes next.
        let count = (content.count + size - 1) / size
        for part in 0..<count {
            let objects = Array(
                content[content.count * part / count..<content.count * (part + 1) / count]
            )
            if part == 0 {
                append(Chunk(number, objects))
            } else {
                entered += objects.map { ($0, nextNumber) }
                appendNew(objects)
            }
        }
    }
}
