import SeededRandom

/// A row of the workloads: four integers, two reals, three texts and a date.
///
/// The same seed and number give the same item on every machine.
public struct Item: Hashable, Sendable {
    /// How many categories there are; an item's is as good as random.
    public static let categoryCount = 50

    /// Tells items apart; from 1.
    public let number: Int64
    /// From 0 to 49.
    public let category: Int64
    /// From 0 to 999,999.
    public var score: Int64
    /// Any number of 56 bits.
    public let code: Int64
    /// From 0 to 1.
    public let ratio: Double
    /// Half of the number.
    public let amount: Double
    /// About 10 characters; by it lists are sorted.
    public var name: String
    /// About 26 characters.
    public let mail: String
    /// About 60 characters.
    public var text: String
    /// In seconds since the beginning of 2001.
    public let date: Double

    /// The item with a number.
    public init(_ number: Int, seed: UInt64) {
        // A generator for each item: any of them can be made without those before it.
        var random = SplitMix(seed: UInt64(number) &* 7919 &+ seed)
        let a = random.next(), b = random.next(), c = random.next(), d = random.next()
        self.number = Int64(number)
        category = Int64(a % UInt64(Self.categoryCount))
        score = Int64(b % 1_000_000)
        code = Int64(bitPattern: c) >> 8
        ratio = Double(b % 1_000_003) / 1_000_003
        amount = Double(number) * 0.5
        name = "name-\(a % 100_000)"
        mail = "user.\(number).mail@example.org"
        text = "A somewhat longer text column, row \(number), with tail \(d % 1_000_000_000)"
        date = 700_000_000 + Double(d % 100_000_000) / 10
    }

    /// As a worker's update leaves it: another score, and one item in ten with another name, which
    /// moves it in a list.
    var updated: Item {
        var item = self
        // Never the score from before, also where that is 0: else nothing might be saved.
        item.score = -score - 1
        if number % 10 == 0 { item.name = "renamed-\(number)" }
        return item
    }

    /// As an edit on the main queue leaves it.
    func edited(_ turn: Int) -> Item {
        var item = self
        item.score = Int64(turn)
        item.text = "edited in turn \(turn)"
        return item
    }
}
