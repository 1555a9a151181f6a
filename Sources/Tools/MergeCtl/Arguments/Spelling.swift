/// What somebody may have meant who has mistyped a name.
enum Spelling {
    /// The name that is the fewest edits away, if these are few for its length.
    static func nearest(to text: String, among names: [String]) -> String? {
        let found = names.map { (name: $0, distance: distance(Array(text), Array($0))) }
            .min { $0.distance < $1.distance }
        guard let found, found.distance <= max(1, found.name.count / 3) else { return nil }
        return found.name
    }

    /// How many characters have to be put in, left out, or be others.
    private static func distance(_ one: [Character], _ other: [Character]) -> Int {
        var row = Array(0...other.count)
        for (index, character) in one.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (place, candidate) in other.enumerated() {
                let replaced = diagonal + (character == candidate ? 0 : 1)
                diagonal = row[place + 1]
                row[place + 1] = min(replaced, row[place] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
