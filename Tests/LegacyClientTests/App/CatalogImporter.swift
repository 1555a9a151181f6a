// swift-format-ignore-file: NeverForceUnwrap

import CoreData
import Foundation

/// Reads catalog rows into the store: books that are known by their ISBN are updated.
class CatalogImporter {
    private let stack: DataStack

    init(stack: DataStack) {
        self.stack = stack
    }

    func importCatalog(_ rows: [[String: Any]], completion: @escaping (Error?) -> Void) {
        DispatchQueue.global(qos: .utility).async {
            let result: Error?
            do {
                try self.importNow(rows)
                result = nil
            } catch {
                result = error
            }
            DispatchQueue.main.async { completion(result) }
        }
    }

    /// On the calling thread, with a context of its own.
    func importNow(_ rows: [[String: Any]]) throws {
        let context = stack.newBackgroundContext()
        for row in rows {
            let book = try findOrCreateBook(row["isbn"] as! String, in: context)
            for key in ["title", "pages", "rating"] {
                if let value = row[key] { book.setValue(value, forKey: key) }
            }
            if let name = row["author"] as? String {
                book.author = try findOrCreateAuthor(name, in: context)
            }
        }
        if context.hasChanges { try context.save() }
    }

    private func findOrCreateBook(
        _ isbn: String,
        in context: NSManagedObjectContext
    ) throws -> Book {
        let request: NSFetchRequest<Book> = Book.fetchRequest()
        request.predicate = NSPredicate(format: "%K == %@", "isbn", isbn)
        request.fetchLimit = 1
        if let book = try context.fetch(request).first { return book }
        let book =
            NSEntityDescription.insertNewObject(forEntityName: "Book", into: context) as! Book
        book.isbn = isbn
        return book
    }

    private func findOrCreateAuthor(
        _ name: String,
        in context: NSManagedObjectContext
    ) throws -> Author {
        let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
        request.predicate = NSPredicate(format: "name ==[cd] %@", name)
        if let author = try context.fetch(request).first as? Author { return author }
        let author =
            NSEntityDescription.insertNewObject(forEntityName: "Author", into: context)
            as! Author
        author.name = name
        return author
    }
}
