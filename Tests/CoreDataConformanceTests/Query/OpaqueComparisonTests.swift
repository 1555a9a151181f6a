import CoreData
import TestSupport
import Testing

/// Values that SQL can't compare: those of transformers, and data that may be kept in files.
@Suite struct OpaqueComparisonTests {
    private static func makeModel() -> NSManagedObjectModel {
        let item = NSEntityDescription()
        item.name = "Item"
        item.properties = ["left", "right"].map { name in
            let data = NSAttributeDescription()
            data.name = name
            data.attributeType = .binaryDataAttributeType
            data.isOptional = true
            data.allowsExternalBinaryDataStorage = true
            return data
        }
        let model = NSManagedObjectModel()
        model.entities = [item]
        return model
    }

    /// Equal values were not found, and different ones were.
    @Test(arguments: ["left == right", "left != right", "left IN {right}", "left < right"])
    func twoOfThemAreRefusedAndNotMissed(format: String) throws {
        try withContext(.sqlite, model: Self.makeModel()) { context in
            context.make("Item", ["left": Data([1, 2]), "right": Data([1, 2])])
            try context.save()
            let predicate = NSPredicate(format: format)
            let error = caughtError { _ = try context.all("Item", where: predicate) }
            let sentence = "\(error?.userInfo ?? [:]) \(error?.localizedDescription ?? "")"
            #expect(sentence.contains("compare with nil only"), "\(sentence)")
        }
    }

    @Test func oneOfThemComparesWithNil() throws {
        try withContext(.sqlite, model: Self.makeModel()) { context in
            context.make("Item", ["left": Data([1])])
            try context.save()
            let predicate = NSPredicate(format: "left != nil AND right == nil")
            #expect(try context.all("Item", where: predicate).count == 1)
        }
    }
}
