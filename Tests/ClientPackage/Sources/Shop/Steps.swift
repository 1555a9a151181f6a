import Catalogue
import CoreData
import MergeStack

/// Makes a store of the first version of the model.
func makeOldStore(at url: URL) throws {
    let stack = try NotificationMergeStack(
        model: CatalogueModel.first(),
        stores: [NSPersistentStoreDescription(url: url)]
    )
    let context = stack.mainContext
    let ann = Author(context: context)
    ann.name = "Ann"
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
    book.setValue("Old Times", forKey: "heading")
    book.setValue(1890, forKey: "year")
    book.setValue(ann, forKey: "author")
    try context.save()
    try stack.tearDown()
}

func showMigratedRows(_ context: NSManagedObjectContext) throws {
    for book in try context.fetch(NSFetchRequest<Book>(entityName: "Book")) {
        print("migrated: \(book.title), \(book.year), \(book.rating), \(book.author?.name ?? "-")")
    }
}

func insert(into context: NSManagedObjectContext) throws {
    let bob = Author(context: context)
    bob.name = "Bob"
    for (title, year) in [("New Times", 1990), ("Later", 2001), ("Sooner", 1950)] {
        let book = Book(context: context)
        book.title = title
        book.year = Int32(year)
        bob.addToBooks(book)
    }
    bob.books.first { $0.title == "Later" }.map(bob.removeFromBooks)
    let leaflet = NSEntityDescription.insertNewObject(forEntityName: "Leaflet", into: context)
    let publisher = Publisher(context: context)
    publisher.city = "Zürich"
    try context.save()
    print("inserted: \(bob.books.map(\.title).sorted()), publisher in \(publisher.city ?? "-")")
    for object in [bob, leaflet, publisher] as [NSManagedObject] {
        print("class: \(NSStringFromClass(type(of: object)))")
    }
    let values = [bob.value(forKey: "initial"), bob.value(forKeyPath: "books.@count")]
    print("by key: \(values.compactMap { $0 })")
    print("affecting: \(Author.keyPathsForValuesAffectingValue(forKey: "initial"))")
}

func showPredicates(_ context: NSManagedObjectContext) throws {
    let recent = NSPredicate(format: "year > %d", 1900)
    let times = NSPredicate(format: "title CONTAINS[c] %@", "times")
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [recent, times])
    let either = NSCompoundPredicate(orPredicateWithSubpredicates: [
        both, NSCompoundPredicate(notPredicateWithSubpredicate: recent),
    ])
    print("format: \(either.predicateFormat)")
    print("description: \(either)")
    let same = NSPredicate(format: either.predicateFormat)
    print("equal: \(either.isEqual(same)), other: \(either.isEqual(both))")
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(keyPath: \Book.year, ascending: true)]
    let all = try context.fetch(request)
    request.predicate = either
    print("fetched: \(try context.fetch(request).map(\.title))")
    print("filtered: \(all.filter { either.evaluate(with: $0) }.map(\.title))")
}

func showMerge(_ stack: NotificationMergeStack) throws {
    let request = NSFetchRequest<Book>(entityName: "Book")
    request.predicate = NSPredicate(format: "title == 'Later'")
    let book = try stack.mainContext.fetch(request)[0]
    print("before: \(book.year), \(book.author?.name ?? "-")")
    let background = stack.makeBackgroundContext()
    try background.performAndWait {
        let same = try background.fetch(request)[0]
        same.year = 2002
        let authors = NSFetchRequest<Author>(entityName: "Author")
        authors.predicate = NSPredicate(format: "name == 'Ann'")
        same.author = try background.fetch(authors)[0]
        try background.save()
    }
    stack.waitUntilSettled()
    print("merged: \(book.year), \(book.author?.name ?? "-")")
}

func showRefusal(_ context: NSManagedObjectContext) throws {
    let nameless = Book(context: context)
    nameless.title = ""
    do {
        try context.save()
    } catch {
        print("refused: \((error as NSError).domain) \((error as NSError).code)")
    }
    context.delete(nameless)
    try context.save()
}
