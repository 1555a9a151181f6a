import CoreData
import Foundation
import TestSupport
import Testing

/// Files of sections that are damaged; what they are for is in `SectionCacheTests`.
@Suite struct DamagedSectionCacheTests {
    private let cacheName = "damaged\(UInt64.random(in: 0 ... .max))"

    private func file() throws -> URL {
        let folder = try #require(
            FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first
        )
        return folder.appendingPathComponent(ProcessInfo.processInfo.processName)
            .appendingPathComponent("CoreDataSectionCaches/\(cacheName).json")
    }

    private func sections(_ context: NSManagedObjectContext) throws -> [String] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Town")
        request.sortDescriptors = [NSSortDescriptor(key: "country", ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: "country",
            cacheName: cacheName
        )
        try controller.performFetch()
        return (controller.sections ?? []).map { "\($0.name) \($0.numberOfObjects)" }
    }

    /// Counts whose sum is that of the objects only where the sum overflows are among them.
    @Test(
        arguments: [
            [Int.max, Int.max], [Int.max, 1], [Int.max, Int.max, 5], [4, -1], [3, 0], [0, 3],
            [Int.min, Int.min, 3], [1, 1], [],
        ]
    )
    func sectionsThatDoNotFitAreMadeAnew(counts: [Int]) throws {
        let country = NSAttributeDescription()
        country.name = "country"
        country.attributeType = .stringAttributeType
        let town = NSEntityDescription()
        town.name = "Town"
        town.properties = [country]
        let model = NSManagedObjectModel()
        model.entities = [town]
        let stack = try TestStack(.sqlite, model: model)
        defer { NSFetchedResultsController<NSManagedObject>.deleteCache(withName: cacheName) }
        let context = stack.makeContext()
        try context.performAndWait {
            for country in ["A", "B", "A"] {
                NSEntityDescription.insertNewObject(forEntityName: "Town", into: context)
                    .setValue(country, forKey: "country")
            }
            try context.save()
            #expect(try sections(context) == ["A 2", "B 1"])
            let kept = try JSONSerialization.jsonObject(with: Data(contentsOf: file()))
            var content = try #require(kept as? [String: Any])
            #expect((content["sections"] as? [Any])?.count == 2)
            content["sections"] = counts.enumerated().map { index, count in
                ["name": "S\(index)", "count": count] as [String: Any]
            }
            try JSONSerialization.data(withJSONObject: content).write(to: file())
            #expect(try sections(context) == ["A 2", "B 1"])
        }
    }
}
