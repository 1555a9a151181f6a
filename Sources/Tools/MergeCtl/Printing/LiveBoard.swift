import CoreData
import MergeExchange

/// Shows the ten highest airports of Switzerland while they arrive in the main context.
///
/// > Threading: `start`, `stop` and `note` on any thread but the main one; all else on the main
/// > queue.
final class LiveBoard: NSObject, NSFetchedResultsControllerDelegate, @unchecked Sendable {
    // @unchecked: all state is touched on the main queue, but for `latest` and `lastNote`, which
    // have their lock.
    private static let rowCount = 10

    private let controller: NSFetchedResultsController<NSManagedObject>
    private var shownRows: [String] = []
    private var drawnLineCount = 0
    private var lastDraw = Date.distantPast
    private var updateCount = 0
    private let lock = NSLock()
    private var lastNote = Date.distantPast
    private var latest = ImportProgress(fraction: 0, rowCount: 0)

    init(context: NSManagedObjectContext) {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Airport")
        request.predicate = NSPredicate(format: "country.code == %@", "CH")
        request.sortDescriptors = [
            NSSortDescriptor(key: "elevation", ascending: false),
            NSSortDescriptor(key: "icao", ascending: true),
        ]
        controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: nil,
            cacheName: nil
        )
        super.init()
    }

    /// Tells how far the import is, for the line below the list.
    func note(_ progress: ImportProgress) {
        lock.lock()
        latest = progress
        let isDue = Terminal.isInteractive && -lastNote.timeIntervalSinceNow > 0.1
        if isDue { lastNote = Date() }
        lock.unlock()
        if isDue { DispatchQueue.main.async { self.show(isLast: false) } }
    }

    private var progress: ImportProgress {
        lock.lock()
        defer { lock.unlock() }
        return latest
    }

    /// Fetches what is there and begins to follow.
    func start() throws {
        try DispatchQueue.main.sync {
            controller.delegate = self
            try controller.performFetch()
            Terminal.print("\nThe ten highest airports of Switzerland:")
            show(isLast: false)
        }
    }

    /// Shows the final list and stops following.
    func stop() {
        DispatchQueue.main.sync {
            controller.delegate = nil
            show(isLast: true)
            if !Terminal.isInteractive { shownRows.forEach(Terminal.print) }
            Terminal.print("The list changed \(updateCount) times while it was shown.")
        }
    }

    func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        updateCount += 1
        show(isLast: false)
    }

    private func show(isLast: Bool) {
        let airports = (controller.fetchedObjects ?? []).prefix(Self.rowCount)
        let rows = airports.enumerated().map { index, airport in
            let elevation = (airport.value(forKey: "elevation") as? NSNumber)?.doubleValue ?? 0
            let icao = airport.value(forKey: "icao") as? String ?? ""
            let name = airport.value(forKey: "name") as? String ?? ""
            return String(format: "%4d. %6.0f ft  ", index + 1, elevation) + "\(icao)  \(name)"
        }
        guard Terminal.isInteractive else {
            if !isLast, rows != shownRows, let first = rows.first {
                Terminal.print(
                    "\(rows.count) listed after \(progress.rowCount) rows, first: \(first)"
                )
            }
            shownRows = rows
            return
        }
        // Drawing takes main-queue time: no more often than people can see.
        guard isLast || -lastDraw.timeIntervalSinceNow > 0.05 else { return }
        lastDraw = Date()
        shownRows = rows
        let blank = Array(repeating: "", count: Self.rowCount - rows.count)
        let status =
            String(format: "%3.0f %%, ", progress.fraction * 100) + "\(progress.rowCount) rows"
        let lines = rows + blank + [status]
        let up = drawnLineCount > 0 ? "\u{1B}[\(drawnLineCount)A" : ""
        drawnLineCount = lines.count
        Terminal.write(up + lines.map { "\r\u{1B}[K\($0)\n" }.joined())
    }
}
