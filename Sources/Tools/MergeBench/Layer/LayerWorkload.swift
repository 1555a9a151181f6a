/// A workload on the object layer, once by bare SQLite and once by managed objects, over the same
/// rows.
protocol LayerWorkload {
    /// The letter under which the targets list it.
    var letter: String { get }
    /// What is done, in a few words.
    var title: String { get }
    /// At most how many times as long as bare SQLite typed access may take; nil without a target.
    var target: Double? { get }
    /// The same for key-value access.
    var keyedTarget: Double? { get }

    /// What bare SQLite does otherwise than the layer, in a sentence; nil if they do the same.
    var inequality: String? { get }

    /// Does it by bare SQLite; only the work itself is in the time.
    func bare() throws -> LayerTime
    /// Bare SQLite without that difference; nil where there is none.
    var fairBare: FairBare? { get }
    /// Does it by managed objects.
    func layer(_ access: any ItemAccess) throws -> LayerTime
}

extension LayerWorkload {
    var keyedTarget: Double? { nil }
    var inequality: String? { nil }
    var fairBare: FairBare? { nil }
}

/// Bare SQLite in a way that is nearer to what the layer does.
struct FairBare {
    /// What is otherwise, in a few words.
    let title: String
    /// Does it; only the work itself is in the time.
    let measure: () throws -> LayerTime
}

/// How long a workload took, and a sum that says what it read or wrote.
struct LayerTime {
    /// In seconds, by its parts.
    let parts: [Double]
    /// The same for bare SQLite and the layer, or one of them did something else.
    let sum: ValueSum

    /// In seconds.
    var seconds: Double { parts.reduce(0, +) }

    /// Times a block that sums up what it does.
    static func measure(_ body: (inout ValueSum) throws -> Void) rethrows -> LayerTime {
        var sum = ValueSum()
        let seconds = try Clock.measure { try body(&sum) }
        return LayerTime(parts: [seconds], sum: sum)
    }

    /// Times a block that says where its parts end.
    static func measureParts(_ body: (inout LayerParts) throws -> Void) rethrows -> LayerTime {
        var parts = LayerParts()
        try body(&parts)
        // What is done after the end of the last part is in the time, too.
        parts.end()
        return LayerTime(parts: parts.seconds, sum: parts.sum)
    }
}

/// What a workload has done so far, by parts. What disturbs a machine seldom leaves alone a whole round
/// of some 100 ms, but does leave each part alone in one of the rounds.
struct LayerParts {
    var sum = ValueSum()
    private(set) var seconds: [Double] = []
    private var clock = Clock()

    /// Ends a part, and begins the next one.
    mutating func end() {
        seconds.append(clock.seconds)
        clock = Clock()
    }

    /// Ends a part behind each `size` things, which are numbered from 0.
    @inline(__always) mutating func end(behind number: Int, of size: Int) {
        if (number + 1).isMultiple(of: size) { end() }
    }
}

/// A cheap sum over values, whatever their order.
struct ValueSum: Equatable {
    private(set) var value: Int64 = 0

    mutating func add(_ number: Int64) { value &+= number }
    // By its bits, which add up to the same in any order; sums of reals are rounded.
    mutating func add(_ number: Double) { value &+= Int64(bitPattern: number.bitPattern) }
    // Only the length, since the sum is in the time: to add all bytes would cost as much as reading
    // them.
    mutating func add(_ text: String) { value &+= Int64(text.utf8.count) }
}
