/// An element of an XML document, with all that is in it.
struct MarkupElement {
    let name: String
    let attributes: [String: String]
    /// The line on which its tag begins, from 1.
    let line: Int
    var children: [MarkupElement] = []
    /// The text right inside it; what stands between children is joined.
    var text = ""

    subscript(_ attribute: String) -> String? { attributes[attribute] }

    func children(named name: String) -> [MarkupElement] { children.filter { $0.name == name } }
}

/// What is wrong with an XML document.
struct MarkupError: Error, Equatable {
    /// The line on which it was found, from 1.
    let line: Int
    /// What was found there, without a full stop.
    let message: String
}
