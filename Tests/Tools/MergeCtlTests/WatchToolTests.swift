import CoreData
import Foundation
import MergeStack
import Testing

/// Several processes at one store.
@Suite struct WatchToolTests {
    private static let world = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Examples/World")
    private static let model = world.appendingPathComponent("World.xcdatamodeld").path

    private func importing(_ file: String, _ entity: String, _ store: URL, batch: Int = 1_000)
        -> [String]
    {
        [
            "import", "--model", Self.model, "--store", store.path, "--entity", entity,
            "--batch", "\(batch)", Self.world.appendingPathComponent(file).path,
        ]
    }

    private func withStore(_ body: (URL) async throws -> Void) async throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = folder.appendingPathComponent("World.sqlite")
        let first = try ToolRun.mergectl(importing("continents.json", "Continent", store))
        #expect(first.code == 0, "\(first.errors)")
        try await body(store)
    }

    /// One process prints what another one imports, save by save.
    @Test func watchPrintsWhatAnotherProcessImports() async throws {
        try await withStore { store in
            let watch = try RunningTool(["watch", "--store", store.path, "--merges", "8"])
            try watch.waitForOutput("Watching")
            let run = try ToolRun.mergectl(
                importing("countries.json", "Country", store, batch: 60)
            )
            #expect(run.code == 0, "\(run.errors)")
            let watched = try watch.finish(within: 60)
            #expect(watched.code == 0, "\(watched.errors)")
            let lines = watched.output.split(separator: "\n").dropFirst()
            // Four batches of sixty, the rest, and three of neighbours that come later in the file.
            #expect(lines.count == 8, "\(watched.output)")
            for (line, count) in zip(lines, [60, 60, 60, 60, 12]) {
                #expect(line.hasPrefix("mergectl: Country +\(count), now "))
            }
            for line in lines.dropFirst(5) {
                #expect(line.hasPrefix("mergectl: Country ~") && line.contains("now 252 ("))
            }
            for line in lines {
                #expect(line.hasSuffix(" ms late)"), "\(line)")
            }
        }
    }

    /// A process's main context, with a results controller, follows another process.
    @Test func mainFollowsAnotherProcess() async throws {
        try await withStore { url in
            let model = try #require(
                NSManagedObjectModel(contentsOf: URL(fileURLWithPath: Self.model))
            )
            let description = NSPersistentStoreDescription(url: url)
            for key in [
                NSPersistentHistoryTrackingKey,
                NSPersistentStoreRemoteChangeNotificationPostOptionKey,
            ] {
                description.setOption(NSNumber(value: true), forKey: key)
            }
            let stack = try NotificationMergeStack(
                model: model,
                stores: [description],
                options: MergeOptions(remoteChanges: .merged)
            )
            let list = try await MainActor.run { try CountryList(stack.mainContext) }
            let run = try ToolRun.mergectl(importing("countries.json", "Country", url, batch: 50))
            #expect(run.code == 0, "\(run.errors)")
            try await stack.merger.mergeRemoteChanges()
            await MainActor.run {
                #expect(list.count == 252)
                #expect(list.changeCount > 1)
            }
            try await stack.merger.trimHistory(before: Date.distantFuture)
            try await MainActor.run { try stack.tearDown() }
            let inspection = try ToolRun.mergectl(["inspect", url.path])
            #expect(inspection.output.contains("0 transactions"), "\(inspection.output)")
        }
    }

    /// Three processes write to one new store at once; nothing fails, nothing is lost.
    @Test func processesWriteAtOnce() async throws {
        try await withStore { store in
            let countries = try ToolRun.mergectl(importing("countries.json", "Country", store))
            #expect(countries.code == 0)
            let parts = try split("airports.csv", into: 3, beside: store)
            let tools = try parts.map { part in
                try RunningTool([
                    "import", "--model", Self.model, "--store", store.path, "--entity", "Airport",
                    "--batch", "50", part.path,
                ])
            }
            for tool in tools {
                let run = try tool.finish(within: 240)
                #expect(run.code == 0, "\(run.errors)")
                #expect(run.output.contains("1000 created"), "\(run.output)")
            }
            let inspection = try ToolRun.mergectl(["inspect", store.path, "--model", Self.model])
            #expect(inspection.output.contains("Airport    3000"), "\(inspection.output)")
            #expect(inspection.output.contains("  ok"))
        }
    }

    /// Files of a thousand rows each.
    private func split(_ name: String, into count: Int, beside store: URL) throws -> [URL] {
        let text = try String(contentsOf: Self.world.appendingPathComponent(name), encoding: .utf8)
        let lines = text.split(separator: "\n", maxSplits: count * 1_000 + 1)
        return try (0..<count).map { part in
            let rows = lines[(1 + part * 1_000)..<(1 + (part + 1) * 1_000)]
            let file = store.deletingLastPathComponent().appendingPathComponent("part\(part).csv")
            let content = ([lines[0]] + rows).joined(separator: "\n") + "\n"
            try content.write(to: file, atomically: true, encoding: .utf8)
            return file
        }
    }
}

/// The countries that main shows.
@MainActor private final class CountryList: NSObject, NSFetchedResultsControllerDelegate {
    private let controller: NSFetchedResultsController<NSManagedObject>
    private(set) nonisolated(unsafe) var changeCount = 0
    var count: Int { controller.fetchedObjects?.count ?? 0 }

    init(_ context: NSManagedObjectContext) throws {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Country")
        request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
        controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: nil,
            cacheName: nil
        )
        super.init()
        controller.delegate = self
        try controller.performFetch()
    }

    nonisolated func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
        changeCount += 1
    }
}
