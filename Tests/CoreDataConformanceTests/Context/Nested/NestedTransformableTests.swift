import CoreData
import TestSupport
import Testing

/// Transformable values in children: they pass to the parent as the store would keep them.
@Suite struct NestedTransformableTests {
    @Test func aParentShowsWhatItsChildHasSaved() throws {
        let model = NSManagedObjectModel()
        model.entities = [
            RulesModel.entity(
                "Box",
                ["name": .stringAttributeType, "content": .transformableAttributeType]
            )
        ]
        try withStack(.sqlite, model: model) { stack throws in
            let parent = stack.makeContext()
            let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
            child.parent = parent
            let boxes = try child.onQueue {
                let boxes = ["a", "b"].map { child.make("Box", ["name": $0]) }
                boxes[0].setValue(["x"] as NSArray, forKey: "content")
                try child.save()
                return boxes
            }
            func contents() throws -> [[String]?] {
                try parent.onQueue {
                    try parent.all("Box", sortedBy: "name").map {
                        $0.value(forKey: "content") as? [String]
                    }
                }
            }
            #expect(try contents() == [["x"], nil])
            try parent.onQueue { try parent.save() }
            try child.onQueue {
                boxes[0].setValue(nil, forKey: "content")
                boxes[1].setValue(["y", "z"] as NSArray, forKey: "content")
                try child.save()
            }
            #expect(try contents() == [nil, ["y", "z"]])
            try parent.onQueue {
                #expect(parent.updatedObjects.count == 2)
                try parent.save()
                parent.reset()
            }
            #expect(try contents() == [nil, ["y", "z"]])
        }
    }
}
