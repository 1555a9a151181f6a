/// A map from a 64-bit key to one non-zero word, for keys that are close to each other: pages of 512
/// behind a directory that covers the range of pages in use. Keys far from the others go to a
/// dictionary, so that a hostile key costs an entry and not a directory of gigabytes.
///
/// > Threading: Confined to its owner's lock or queue.
struct PagedKeyMap: ~Copyable {
    private static let pageShift: Int64 = 9

    /// In pages: a directory of 2 MiB, for keys that span 134 million.
    private static let maximumDirectory = 1 << 18

    private var directory: UnsafeMutableBufferPointer<KeyPage?>
    /// The page number of `directory[0]`.
    private var firstPage: Int64 = 0
    /// From the first page that was made to the last one.
    private var usedPages: ClosedRange<Int64>?
    private var outliers: [Int64: UInt] = [:]
    private(set) var count = 0

    init() {
        directory = .allocate(capacity: 4)
        directory.initialize(repeating: nil)
    }

    deinit {
        for page in directory { page?.deallocate() }
        directory.deallocate()
    }

    /// The place of a key in its page. Negative keys, which are given out downwards, have it from above,
    /// so that a page's places are filled in their order.
    @inline(__always) private static func place(_ key: Int64) -> Int {
        Int((key ^ (key >> 63)) & 511)
    }

    /// The word for `key`, or 0.
    @inline(__always) subscript(key: Int64) -> UInt {
        let index = (key >> Self.pageShift) &- firstPage
        if index >= 0, index < directory.count, let page = directory[Int(index)] {
            return page[Self.place(key)]
        }
        return outliers.isEmpty ? 0 : outliers[key] ?? 0
    }

    /// Sets the word for `key`; 0 removes it.
    @inline(__always) mutating func set(_ key: Int64, _ word: UInt) {
        let index = (key >> Self.pageShift) &- firstPage
        if index >= 0, index < directory.count,
            let change = directory[Int(index)]?.set(Self.place(key), word)
        {
            count += change
            return
        }
        setSlowly(key, word)
    }

    func forEach(_ body: (Int64, UInt) -> Void) {
        for (index, page) in directory.enumerated() {
            guard let page else { continue }
            let base = (firstPage + Int64(index)) << Self.pageShift
            page.forEach { body(base + Int64($0) ^ (base < 0 ? 511 : 0), $1) }
        }
        for (key, word) in outliers { body(key, word) }
    }

    mutating func removeAll() {
        for index in directory.indices {
            directory[index]?.deallocate()
            directory[index] = nil
        }
        usedPages = nil
        outliers = [:]
        count = 0
    }

    @inline(never) private mutating func setSlowly(_ key: Int64, _ word: UInt) {
        let pageNumber = key >> Self.pageShift
        if word == 0 {
            if outliers.removeValue(forKey: key) != nil { count -= 1 }
            return
        }
        // A key is never in both places: the range that is covered only grows, so that what was too
        // far away once stays so.
        guard cover(pageNumber) else {
            if outliers.updateValue(word, forKey: key) == nil { count += 1 }
            return
        }
        var page = KeyPage.make()
        count += page.set(Self.place(key), word)
        directory[Int(pageNumber - firstPage)] = page
    }

    /// Makes the directory cover `pageNumber`; false if that would make it too large.
    private mutating func cover(_ pageNumber: Int64) -> Bool {
        guard let used = usedPages else {
            firstPage = pageNumber
            usedPages = pageNumber...pageNumber
            return true
        }
        let first = min(used.lowerBound, pageNumber)
        let last = max(used.upperBound, pageNumber)
        let (span, overflow) = last.subtractingReportingOverflow(first)
        guard !overflow, span < Self.maximumDirectory else { return false }
        usedPages = first...last
        if pageNumber >= firstPage, pageNumber - firstPage < directory.count { return true }
        // Room on both sides, in proportion to what is covered: keys that grow in both directions
        // must not double the directory each time.
        let capacity = 2 * (Int(span) + 1)
        let base = first - (span + 1) / 2
        let grown = UnsafeMutableBufferPointer<KeyPage?>.allocate(capacity: capacity)
        grown.initialize(repeating: nil)
        for page in used { grown[Int(page - base)] = directory[Int(page - firstPage)] }
        directory.deallocate()
        directory = grown
        firstPage = base
        return true
    }
}
