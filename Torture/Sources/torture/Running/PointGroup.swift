/// Points that are numbered from 1 on.
struct PointGroup {
    /// What stands before the number.
    var stem: String
    /// How many there are, as far as is known.
    var count: Int
}

extension Plan {
    /// All points of some groups, or as many as are asked for, drawn by the seed.
    init(_ groups: [PointGroup], _ options: Options) {
        let all = groups.reduce(0) { $0 + $1.count }
        guard let wanted = options.count, wanted < all else {
            // Up to the last one that there is, whatever the count was.
            self.init(points: groups.map { $0.stem + "*" }, expectedCount: all)
            return
        }
        var numbers = SeededNumbers(options.seed)
        var points = groups.flatMap { group in
            (1...max(1, group.count)).prefix(group.count).map { group.stem + "\($0)" }
        }
        points.shuffle(using: &numbers)
        // In the order of their groups again, so that what was prepared serves all of its points.
        // Not every run comes to a point, for what is done differs a little each time: some more
        // are drawn than are wanted.
        let drawn = points.prefix(wanted + wanted / 50)
        self.init(points: drawn.sorted(), expectedCount: wanted)
    }
}
