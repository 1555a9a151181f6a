import CoreData
import ManagedAccessorsFixture
import TestSupport
import Testing

/// A class that declares properties with types that few do.
final class Crate: NSManagedObject {
    @NSManaged var payload: Data
    @NSManaged var share: Float
    @NSManaged var isOpen: Bool
    @NSManaged var level: Level
    @NSManaged var words: Set<String>
    @NSManaged var since: Double
    @NSManaged var boxes: NSMutableOrderedSet
    @NSManaged var stickers: NSMutableSet
    @NSManaged var first: Crate?
    @NSManaged var notes: NSMutableArray
    @NSManaged var labels: NSDictionary
    @NSManaged var number: Int
    @NSManaged var note: String?
    @NSManaged var alike: Set<Crate>
    @NSManaged var shadow: Crate?

    /// Without a case for zero.
    enum Level: Int16, Sendable { case low = 1, high }
}

extension Crate {
    @NSManaged func addToBoxes(_ values: NSOrderedSet)
    @NSManaged func removeFromBoxes(at indexes: NSIndexSet)
    @NSManaged func intersectStickers(_ values: NSSet)
}

/// A class with a property that its entity lacks, and an answer for it.
final class Haunted: NSManagedObject {
    @NSManaged var ghost: String?

    override func value(forUndefinedKey key: String) -> Any? { "no \(key)" }
}

/// Classes that name their neighbours in the type around them.
enum Shelf {
    final class Row: NSManagedObject {
        @NSManaged var cells: Set<Cell>
    }
    final class Cell: NSManagedObject {
        @NSManaged var row: Row?
    }
}

@Suite struct UnusualAccessorTests {
    @Test func classesNestedInOneTypeNameEachOther() throws {
        let row = LibraryModel.entity("Row", Shelf.Row.self, [])
        let cell = LibraryModel.entity("Cell", Shelf.Cell.self, [])
        LibraryModel.relate(row, "cells", many: true, cell, "row")
        let model = NSManagedObjectModel()
        model.entities = [row, cell]
        let stack = try TestStack(.inMemory, model: model)
        let context = stack.makeContext()
        context.onQueue {
            let row = Shelf.Row(context: context), cell = Shelf.Cell(context: context)
            cell.row = row
            #expect(row.cells == [cell])
        }
        withExtendedLifetime(stack) {}
    }

    private func withCrate(
        _ body: (NSManagedObjectContext, Crate) throws -> Void
    ) throws {
        let crate = LibraryModel.entity(
            "Crate",
            Crate.self,
            [
                LibraryModel.attribute("payload", .binaryData),
                LibraryModel.attribute("share", .float), LibraryModel.attribute("isOpen", .boolean),
                LibraryModel.attribute("level", .integer16),
                LibraryModel.attribute("words", .transformable),
                LibraryModel.attribute("since", .integer64),
                LibraryModel.attribute("number", .integer64),
                LibraryModel.attribute("note", .string),
            ]
        )
        let alike = NSFetchedPropertyDescription()
        alike.name = "alike"
        alike.fetchRequest = NSFetchRequest()
        alike.fetchRequest?.entity = crate
        alike.fetchRequest?.predicate = NSPredicate(format: "note == $FETCH_SOURCE.note")
        let shadow = NSRelationshipDescription()
        shadow.name = "shadow"
        shadow.destinationEntity = crate
        shadow.maxCount = 1
        shadow.isOptional = true
        shadow.isTransient = true
        crate.properties += [alike, shadow]
        LibraryModel.relate(crate, "boxes", many: true, crate, "holder", ordered: true)
        LibraryModel.relate(crate, "stickers", many: true, crate, "stuckOn")
        LibraryModel.relate(crate, "first", crate, "second")
        let model = NSManagedObjectModel()
        model.entities = [crate]
        let stack = try TestStack(.sqlite, model: model)
        let context = stack.makeContext()
        try context.onQueue { try body(context, Crate(context: context)) }
        withExtendedLifetime(stack) {}
    }

    @Test func nullsReadAsNothing() throws {
        try withCrate { context, crate throws in
            for _ in 0..<2 {
                #expect(crate.payload.isEmpty && crate.share == 0 && crate.words.isEmpty)
                #expect(crate.number == 0 && crate.note == nil && crate.first == nil)
                try context.save()
                context.refreshAllObjects()
            }
        }
    }

    @Test func valuesOfUnusualTypesAreStored() throws {
        try withCrate { context, crate throws in
            crate.payload = Data([1, 2])
            crate.share = 0.5
            crate.isOpen = true
            crate.level = .high
            crate.words = ["a", "b"]
            #expect(crate.share == 0.5)
            try context.save()
            context.refreshAllObjects()
            #expect(crate.payload == Data([1, 2]) && crate.share == 0.5 && crate.isOpen)
            #expect(crate.level == .high && crate.words == ["a", "b"])
            crate.isOpen = false
            try context.save()
            context.refreshAllObjects()
            #expect(!crate.isOpen && crate.value(forKey: "isOpen") as? Bool == false)
        }
    }

    /// Declared as another kind of number than the attribute is.
    @Test func numbersAreConverted() throws {
        try withCrate { _, crate throws in
            crate.setValue(7, forKey: "since")
            #expect(crate.since == 7)
            crate.since = 8
            #expect(crate.value(forKey: "since") as? Int == 8)
        }
    }

    @Test func mutableCollectionsAreViews() throws {
        try withCrate { context, crate throws in
            let others = (0..<3).map { _ in Crate(context: context) }
            crate.boxes.addObjects(from: others)
            crate.stickers.add(others[0])
            #expect(others[1].value(forKey: "holder") as? Crate === crate)
            #expect(others[0].value(forKey: "stuckOn") as? Crate === crate)
            #expect(crate.boxes.count == 3 && crate.stickers.count == 1)
            try context.save()
            context.refreshAllObjects()
            #expect(crate.boxes.index(of: others[2]) == 2)
        }
    }

    @Test func generatedFunctionsTakeCollections() throws {
        try withCrate { context, crate throws in
            let others = (0..<3).map { _ in Crate(context: context) }
            crate.addToBoxes(NSOrderedSet(array: others))
            crate.removeFromBoxes(at: NSIndexSet(index: 1))
            #expect(crate.boxes.count == 2 && others[1].value(forKey: "holder") == nil)
            crate.stickers.addObjects(from: others)
            crate.intersectStickers(NSSet(array: [others[2]]))
            #expect(crate.stickers.count == 1 && crate.stickers.contains(others[2]))
        }
    }

    @Test func propertiesOfUnusualTypesHaveNames() {
        #expect(NSSortDescriptor(keyPath: \Crate.level, ascending: true).key == "level")
        #expect(NSSortDescriptor(keyPath: \Crate.payload, ascending: true).key == "payload")
        #expect(NSSortDescriptor(keyPath: \Crate.share, ascending: true).key == "share")
        #expect(NSExpression(forKeyPath: \Crate.words).keyPath == "words")
        #expect(NSExpression(forKeyPath: \Crate.boxes).keyPath == "boxes")
        #expect(NSExpression(forKeyPath: \Crate.stickers).keyPath == "stickers")
        #expect(NSExpression(forKeyPath: \Crate.notes).keyPath == "notes")
        #expect(NSExpression(forKeyPath: \Crate.labels).keyPath == "labels")
    }

    @Test func whatIsFetchedForAnObjectMayBeASet() throws {
        try withCrate { context, crate throws in
            let others = ["a", "a", "b"].map { note in
                let other = Crate(context: context)
                other.note = note
                return other
            }
            crate.note = "a"
            try context.save()
            #expect(crate.alike == [crate, others[0], others[1]])
        }
    }

    @Test func transientRelationshipsAreKeptByTheObject() throws {
        try withCrate { context, crate throws in
            let other = Crate(context: context)
            crate.shadow = other
            try context.save()
            #expect(crate.shadow === other)
            crate.shadow = nil
            #expect(crate.shadow == nil)
        }
    }

    @Test func aClassMayAnswerForPropertiesThatItsEntityLacks() throws {
        let model = NSManagedObjectModel()
        model.entities = [LibraryModel.entity("Haunted", Haunted.self, [])]
        let stack = try TestStack(.inMemory, model: model)
        let context = stack.makeContext()
        context.onQueue { #expect(Haunted(context: context).ghost == "no ghost") }
        withExtendedLifetime(stack) {}
    }
}
