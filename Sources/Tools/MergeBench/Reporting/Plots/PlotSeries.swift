/// What a plot shows of one layout.
struct PlotSeries<Values> {
    let label: String
    let colour: String
    let values: Values
}

/// The colours of layouts, told apart by most people who don't see all colours (Okabe and Ito,
/// "Color Universal Design", 2008).
enum Palette {
    /// A wait that is too long.
    static let alarm = "#c62828"
    private static let bare = "#8a8f98"
    private static let layouts = [
        "#0072b2", "#d55e00", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#7a5195",
    ]

    /// The colour of the layout at a place in a report, where bare SQLite has the first.
    static func colour(_ place: Int) -> String {
        place == 0 ? bare : layouts[(place - 1) % layouts.count]
    }
}
