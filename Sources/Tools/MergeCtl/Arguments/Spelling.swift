/// What somebody may have meant who has mistyped a name.
enum Spelling {
    /// The name that is the fewest edits away, if these are few for its length.
    static func nearest(to text: String, among names: [String]) -> String? {
        let found = names.map { (name: $0, distance: distance(Array(text), Array($0))) }
            .min { $0.distance < $1.distance }
        guard let found, found.distance <= max(1, found.name.count / 3) else { return nil }
        return found.name
    }

    /// How many characters have to be put in, left out, be others, or change places with the next.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        // Of the characters so far: the last row, and the one before it.
        var above: [Int] = [], row = Array(0...other.count)
        for (index, character) in one.enumerated() {
            var next = [index + 1]
            for (place, candidate) in other.enumerated() {
                var least = min(
                    row[place] + (character == candidate ? 0 : 1),
                    next[place] + 1,
                    row[place + 1] + 1
                )
                if index > 0, place > 0, character == other[place - 1], one[index - 1] == candidate
                {
                    least = min(least, above[place - 1] + 1)
                }
                next.append(least)
            }
            (above, row) = (row, next)
        }
        return row[other.count]
    }
}
