import CoreData
import Foundation
import MergeStack

/// What the commands do, a line each.
///
/// > Threading: On the main queue, except for ``waitForBackground()``.
final class Screen: @unchecked Sendable {
    // @unchecked: all but the group is touched on the main queue only.

    /// What comes after a command.
    enum Next { case command, backgroundWork, end }

    private let shelf: Shelf
    private let list: BookList
    private var form: BookForm?
    private let say: (String) -> Void

    static let help = """
        list            the books, with their numbers
        new             a form for a new book
        edit NUMBER     a form for a book; in a form:
          title TEXT, author TEXT, year NUMBER, stars NUMBER
          save, cancel
        delete NUMBER   takes a book off the shelf
        import FILE     adds the books of a CSV or JSON file, in the background
        export FILE     writes all books to one, in the background
        wait            until the background is done
        quit
        """

    init(in folder: URL, say: @escaping (String) -> Void) throws {
        shelf = try Shelf(in: folder, say: say)
        list = try BookList(shelf.stack, say: say)
        self.say = say
        say("\(list.books.count) books; \"help\" lists the commands.")
    }

    /// Waits until imports and exports have said how they ended; off the main queue.
    func waitForBackground() { shelf.background.wait() }

    /// Does what a line says.
    func run(_ line: String) -> Next {
        let words = line.split(separator: " ", maxSplits: 1)
        guard let command = words.first else { return .command }
        let rest = words.count == 2 ? words[1].trimmingCharacters(in: .whitespaces) : ""
        do {
            return try run(String(command), rest)
        } catch {
            say("Error: \(error.localizedDescription)")
            return .command
        }
    }

    private func run(_ command: String, _ rest: String) throws -> Next {
        switch command {
        case "help": say(Self.help)
        case "list":
            for (place, book) in list.books.enumerated() { say("\(place + 1)  \(book.line)") }
        case "new": open(BookForm(in: shelf.stack))
        case "edit":
            if let book = book(rest) { open(try BookForm(editing: book, in: shelf.stack)) }
        case "delete":
            if let book = book(rest) {
                shelf.stack.mainContext.delete(book)
                try shelf.stack.saveAndWait(shelf.stack.mainContext)
            }
        case "import": shelf.importBooks(from: URL(fileURLWithPath: rest))
        case "export": shelf.exportBooks(to: URL(fileURLWithPath: rest))
        case "wait": return .backgroundWork
        case "quit": return .end
        default: runInForm(command, rest)
        }
        return .command
    }

    private func runInForm(_ command: String, _ rest: String) {
        guard let form, (BookForm.fields + ["save", "cancel"]).contains(command) else {
            say("There is no command \"\(command)\" here; \"help\" lists them.")
            return
        }
        switch command {
        case "save":
            do {
                try form.save()
                self.form = nil
            } catch {
                say("Not saved: \(error.localizedDescription)")
            }
        case "cancel":
            form.cancel()
            self.form = nil
            say("Nothing has changed.")
        default:
            say(
                form.type(rest, into: command)
                    ? "In the form: \(form.line)" : "That is no number, or too large a one."
            )
        }
    }

    private func open(_ form: BookForm) {
        self.form?.cancel()
        self.form = form
        say("In the form: \(form.line)")
    }

    private func book(_ number: String) -> Book? {
        guard let number = Int(number), list.books.indices.contains(number - 1) else {
            say("There is no book with this number; \"list\" shows them.")
            return nil
        }
        return list.books[number - 1]
    }
}
