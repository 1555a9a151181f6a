import Foundation

/// The names in a picture, by the classes of its texts: "type" and "member" before the "file" that
/// they stand in, "also" for types that are only mentioned.
struct PictureText {
    struct Name {
        /// A type with the types around it, as in `SavePlan.Part`, or a member.
        let text: String
        let isType: Bool
        /// The file's name without its folders; empty if the picture names none.
        let file: String
    }
    private(set) var names: [Name] = []
    private(set) var mentions: [String] = []

    /// - Parameter picture: The text of an SVG file whose marked elements have nothing but text.
    init(_ picture: String) {
        var open: [(text: String, isType: Bool)] = []
        var hasFile = false
        for (kind, text) in Self.markedTexts(picture) {
            switch kind {
            case "type", "member":
                // Names that follow a file belong to the next one.
                if hasFile { open = [] }
                hasFile = false
                open.append((text, kind == "type"))
            case "file":
                hasFile = true
                names += open.map { Name(text: $0.text, isType: $0.isType, file: text) }
            case "also": mentions.append(text)
            default: continue
            }
        }
        guard !hasFile else { return }
        names += open.map { Name(text: $0.text, isType: $0.isType, file: "") }
    }

    /// The classes and the texts of the elements that have a class, in their order.
    private static func markedTexts(_ picture: String) -> [(kind: String, text: String)] {
        let pieces = picture.components(separatedBy: " class=\"").dropFirst()
        return pieces.compactMap { piece -> (kind: String, text: String)? in
            guard let quote = piece.firstIndex(of: "\""),
                let start = piece[quote...].firstIndex(of: ">"),
                let end = piece[start...].firstIndex(of: "<")
            else { return nil }
            let text = piece[piece.index(after: start)..<end]
            return (String(piece[..<quote]), text.trimmingCharacters(in: .whitespacesAndNewlines))
        }
    }
}
