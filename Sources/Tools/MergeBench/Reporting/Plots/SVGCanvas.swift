import Foundation

/// A drawing in SVG 1.1, in user units of a pixel each.
///
/// Lines and texts take the colour of the text around it, so that a page can be light or dark.
struct SVGCanvas {
    /// Where a text stands relative to its point.
    enum Anchor: String { case start, middle, end }

    let width: Double
    /// Of what is drawn; to be set when that is known.
    var height = 0.0
    /// What the drawing shows, for those who can't see it.
    let title: String
    private var elements: [String] = []

    init(width: Double, title: String) {
        self.width = width
        self.title = title
    }

    mutating func text(
        _ text: String,
        x: Double,
        y: Double,
        anchor: Anchor = .start,
        size: Double = 12,
        isBold: Bool = false,
        isFaint: Bool = false,
        colour: String = "currentColor"
    ) {
        let weight = isBold ? " font-weight=\"600\"" : ""
        let faint = isFaint ? " fill-opacity=\"0.65\"" : ""
        elements.append(
            "<text x=\"\(Self.number(x))\" y=\"\(Self.number(y))\" font-size=\"\(Self.number(size))\" "
                + "text-anchor=\"\(anchor.rawValue)\" fill=\"\(colour)\"\(weight)\(faint)>"
                + "\(MarkupText.escaped(text))</text>"
        )
    }

    /// Writes the title and what is to be said of it at the top, in as many lines as they need.
    ///
    /// - Returns: Where the drawing can begin.
    mutating func heading(note: String?) -> Double {
        var y = 4.0
        for line in Self.lines(title, size: 13, isBold: true, width: width) {
            y += 17
            text(line, x: 0, y: y, size: 13, isBold: true)
        }
        for line in note.map({ Self.lines($0, size: 11, width: width) }) ?? [] {
            y += 16
            text(line, x: 0, y: y, size: 11, isFaint: true)
        }
        return y + 10
    }

    /// How wide a text is at most, since nothing here knows the font.
    static func width(_ text: String, size: Double, isBold: Bool = false) -> Double {
        Double(text.count) * size * (isBold ? 0.66 : 0.58)
    }

    /// A text in lines that are not wider than that.
    private static func lines(
        _ text: String,
        size: Double,
        isBold: Bool = false,
        width: Double
    ) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            let longer = (lines.last.map { $0 + " " } ?? "") + word
            if !lines.isEmpty, Self.width(longer, size: size, isBold: isBold) <= width {
                lines[lines.count - 1] = longer
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }

    mutating func line(
        from start: (x: Double, y: Double),
        to end: (x: Double, y: Double),
        colour: String = "currentColor",
        width: Double = 1,
        opacity: Double = 0.15,
        isDashed: Bool = false
    ) {
        let dashes = isDashed ? " stroke-dasharray=\"4 3\"" : ""
        elements.append(
            "<line x1=\"\(Self.number(start.x))\" y1=\"\(Self.number(start.y))\" "
                + "x2=\"\(Self.number(end.x))\" y2=\"\(Self.number(end.y))\" stroke=\"\(colour)\" "
                + "stroke-width=\"\(Self.number(width))\" stroke-opacity=\"\(Self.number(opacity))\""
                + "\(dashes)/>"
        )
    }

    /// Upright bars of one colour, as one element.
    mutating func bars(
        _ bars: [(x: Double, top: Double, bottom: Double)],
        width: Double,
        colour: String
    ) {
        guard !bars.isEmpty else { return }
        let path = bars.map { bar in
            "M\(Self.number(bar.x)) \(Self.number(bar.bottom))V\(Self.number(bar.top))"
        }
        elements.append(
            "<path d=\"\(path.joined())\" stroke=\"\(colour)\" stroke-width=\"\(Self.number(width))\" "
                + "fill=\"none\"/>"
        )
    }

    mutating func dot(x: Double, y: Double, radius: Double, colour: String, opacity: Double = 1) {
        elements.append(
            "<circle cx=\"\(Self.number(x))\" cy=\"\(Self.number(y))\" r=\"\(Self.number(radius))\" "
                + "fill=\"\(colour)\" fill-opacity=\"\(Self.number(opacity))\"/>"
        )
    }

    mutating func curve(_ points: [(x: Double, y: Double)], colour: String, width: Double = 2) {
        guard points.count > 1 else { return }
        let text = points.map { "\(Self.number($0.x)),\(Self.number($0.y))" }
        elements.append(
            "<polyline points=\"\(text.joined(separator: " "))\" fill=\"none\" stroke=\"\(colour)\" "
                + "stroke-width=\"\(Self.number(width))\" stroke-linejoin=\"round\"/>"
        )
    }

    /// The drawing as an element of a page.
    var element: String { element(attributes: "", background: "") }

    /// The drawing as a file of its own, dark on white.
    var file: String {
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + element(
                attributes: " color=\"#1f2328\" width=\"\(Self.number(width))\" "
                    + "height=\"\(Self.number(height))\"",
                background: "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
            ) + "\n"
    }

    private func element(attributes: String, background: String) -> String {
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" "
            + "viewBox=\"0 0 \(Self.number(width)) \(Self.number(height))\" "
            + "font-family=\"system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif\""
            + "\(attributes)>\n<title>\(MarkupText.escaped(title))</title>\n\(background)"
            + elements.joined(separator: "\n") + "\n</svg>"
    }

    /// A number with at most two places behind the point.
    private static func number(_ value: Double) -> String {
        let rounded = (value * 100).rounded() / 100
        return rounded == rounded.rounded() ? "\(Int(rounded))" : "\(rounded)"
    }
}

/// Text in XML and HTML.
enum MarkupText {
    /// The text with what has a meaning there written as references.
    static func escaped(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;")
            .replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: ">", with: "&gt;")
            .replacingOccurrences(of: "\"", with: "&quot;")
    }
}
