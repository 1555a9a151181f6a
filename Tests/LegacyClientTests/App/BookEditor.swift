// swift-format-ignore-file: NeverForceUnwrap

import CoreData
import Foundation

/// The form to add or edit a book: works on a scratchpad, which is thrown away on cancel.
class BookEditor {
    let book: Book
    private let scratchpad: NSManagedObjectContext
    private let stack: DataStack

    init(stack: DataStack, bookID: NSManagedObjectID? = nil) throws {
        self.stack = stack
        scratchpad = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
        scratchpad.parent = stack.mainContext
        scratchpad.undoManager = UndoManager()
        if let bookID = bookID {
            book = try scratchpad.existingObject(with: bookID) as! Book
        } else {
            book = Book(
                entity: NSEntityDescription.entity(forEntityName: "Book", in: scratchpad)!,
                insertInto: scratchpad
            )
            book.isbn = UUID().uuidString
        }
        scratchpad.processPendingChanges()
        scratchpad.undoManager?.removeAllActions()
    }

    func undo() {
        scratchpad.undo()
    }

    func save() throws {
        try scratchpad.save()
        try stack.mainContext.save()
    }

    func cancel() {
        scratchpad.rollback()
    }
}
