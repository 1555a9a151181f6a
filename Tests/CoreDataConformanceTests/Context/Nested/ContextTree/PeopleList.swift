import CoreData

/// People in sections by their departments, kept by a results controller, and a copy of the list to
/// which its delegate's changes were applied.
final class PeopleList {
    private let controller: NSFetchedResultsController<NSManagedObject>
    private let mirror = ListMirror()

    init(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Person")
        request.sortDescriptors = ["department.name", "name"].map {
            NSSortDescriptor(key: $0, ascending: true)
        }
        controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: "department.name",
            cacheName: nil
        )
        controller.delegate = mirror
        try fetch()
    }

    /// Fetches the list, as is needed after a reset.
    func fetch() throws {
        try controller.managedObjectContext.onQueue {
            try controller.performFetch()
            mirror.start(controller)
        }
    }

    func compare(_ name: String, _ world: ReferenceWorld) throws {
        try controller.managedObjectContext.onQueue {
            let expected = world.peopleByDepartment()
            for (what, sections) in [
                ("list", ListMirror.content(controller)), ("copy", mirror.sections),
            ] {
                let lines = sections.flatMap { section in
                    section.objects.map { "\(section.name): \($0.text("name") ?? "?")" }
                }
                try Mismatch.check("\(name)'s \(what)", lines, expected)
            }
        }
    }
}
