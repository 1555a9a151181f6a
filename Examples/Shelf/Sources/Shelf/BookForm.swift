import CoreData
import MergeStack

/// A form with "Save" and "Cancel": what is typed stays in it until one of them is chosen.
///
/// > Threading: On the main queue.
final class BookForm {
    /// What can be typed into.
    static let fields = ["title", "author", "year", "stars"]

    private let pad: Scratchpad
    private let book: Book

    /// A form for a book of the list.
    init(editing book: Book, in stack: NotificationMergeStack) throws {
        pad = Scratchpad(of: stack)
        self.book = try pad.object(ObjectReference(book))
    }

    /// A form for a new book.
    init(in stack: NotificationMergeStack) {
        pad = Scratchpad(of: stack)
        book = Book(context: pad.context)
    }

    /// The book with what has been typed.
    var line: String { book.line }

    /// Types into a field.
    ///
    /// - Returns: False if it takes a number, and this is none.
    func type(_ text: String, into field: String) -> Bool {
        switch field {
        case "title": book.title = text.isEmpty ? nil : text
        case "author": book.author = text.isEmpty ? nil : text
        default:
            guard let number = Int16(text) else { return false }
            book.setValue(number, forKey: field)
        }
        return true
    }

    /// Saves into the main context and on to the store.
    ///
    /// - Throws: What is not valid; it stays in the form, and nothing of it is in the list.
    func save() throws { try pad.saveAndWait() }

    /// Drops what was typed.
    func cancel() { pad.cancel() }
}
