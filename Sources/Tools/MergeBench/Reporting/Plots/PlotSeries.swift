/// What a plot shows of one layout.
struct PlotSeries<Values> {
    let label: String
    let colour: String
    let values: Values
}

/// The colours of layouts: those that most people tell apart who don't see all colours (Okabe and
/// Ito, "Color Universal Design", 2008), without the one that is like the alarm, and dark or light
/// enough for white and black pages.
enum Palette {
    /// A wait that is too long.
    static let alarm = "#e5484d"
    private static let bare = "#8a8f98"
    private static let layouts = [
        "#1277b8", "#c98500", "#009e73", "#a06bc9", "#3a9bd5", "#8c7a5b", "#c2609a",
    ]

    /// The colour of the layout at a place in a report, where bare SQLite has the first.
    static func colour(_ place: Int) -> String {
        place == 0 ? bare : layouts[(place - 1) % layouts.count]
    }
}
