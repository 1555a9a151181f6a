/// An element of an XML document, with all that is in it.
package struct MarkupElement: Sendable {
    package let name: String
    package let attributes: [String: String]
    /// The line on which its tag begins, from 1.
    package let line: Int
    package var children: [MarkupElement] = []
    /// The text right inside it; what stands between children is joined.
    package var text = ""

    package subscript(_ attribute: String) -> String? { attributes[attribute] }

    package func children(named name: String) -> [MarkupElement] {
        children.filter { $0.name == name }
    }
}

/// What is wrong with an XML document.
package struct MarkupError: Error, Equatable {
    /// The line on which it was found, from 1.
    package let line: Int
    /// What was found there, without a full stop.
    package let message: String
}
