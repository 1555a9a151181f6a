import CoreData
import MergeStack

/// What takes the place of the three handlers: a merger, and what it is told.
class MergedSaves {
    let merger: DidSaveMerger

    init(mainContext: NSManagedObjectContext) {
        var options = MergeOptions()
        options.turnBudget = 0.004
        merger = DidSaveMerger(
            into: mainContext,
            options: options
        )
    }

    deinit {
        merger.invalidate()
    }

    /// Saves, and returns when main shows it.
    func saveAndShow(
        _ context: NSManagedObjectContext
    ) throws {
        let token =
            try merger.save(context)
        token.wait()
    }
}

/// A form that is edited while imports are merged.
class BookForm {
    private let form: Scratchpad
    let book: Book

    init(
        newBookIn stack: ContextStack
    ) {
        form = Scratchpad(of: stack)
        book = Book(context: form.context)
    }

    func done() throws {
        try form.saveAndWait()
    }
}
