import CoreData
import Foundation
import StackSupport
import TestSupport
import Testing
import Threads

@testable import MergeStack

/// A form with "Save" and "Cancel", over every stack.
@Suite struct ScratchpadTests {
    /// Does something with a new scratchpad, on the main queue.
    private func edit(
        _ fixture: TopologyFixture,
        _ kind: Scratchpad.Kind = .mainQueue,
        _ body: @escaping @Sendable (Scratchpad, NSManagedObjectContext) throws -> Void
    ) async throws {
        try await fixture.onMain { main in
            try body(Scratchpad(of: fixture.stack, kind: kind), main)
        }
    }

    @Test(arguments: Topology.allCases, Scratchpad.Kind.allCases)
    func whatIsAddedAndEditedIsOnMainAndOnDiskWhenItIsSaved(
        _ topology: Topology,
        _ kind: Scratchpad.Kind
    ) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            try await fixture.insert("a")
            try await edit(fixture, kind) { pad, main in
                let item = try pad.object(ObjectReference(main.item("a")))
                item.setValue(7, forKey: "number")
                ItemStack.insert("new", into: pad.context)
                #expect(pad.hasChanges && !main.hasChanges)
                #expect(try main.items() == ["a|0"])
                try pad.saveAndWait()
                #expect(!pad.hasChanges && !main.hasChanges)
                #expect(try main.items() == ["a|7", "new|0"])
            }
            #expect(try fixture.saved() == ["a|7", "new|0"])
        }
    }

    @Test(arguments: Topology.allCases, Scratchpad.Kind.allCases)
    func cancelLeavesNothing(_ topology: Topology, _ kind: Scratchpad.Kind) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            try await fixture.insert("a", "b")
            try await edit(fixture, kind) { pad, main in
                let item = try pad.object(ObjectReference(main.item("a")))
                item.setValue(7, forKey: "number")
                pad.context.delete(try pad.object(ObjectReference(main.item("b"))))
                ItemStack.insert("new", into: pad.context)
                pad.cancel()
                #expect(!pad.hasChanges && !main.hasChanges)
                #expect(item.value(forKey: "number") as? Int == 0)
                #expect(pad.context.undoManager?.canUndo == false)
                try pad.saveAndWait()
                #expect(try main.items() == ["a|0", "b|0"])
            }
            #expect(try fixture.saved() == ["a|0", "b|0"])
        }
    }

    @Test(arguments: Topology.allCases)
    func theCompletionRunsOnMainWhenItIsOnDisk(_ topology: Topology) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let pad = Scratchpad(of: fixture.stack)
            let found = try await completion { completion in
                DispatchQueue.main.async {
                    ItemStack.insert("a", into: pad.context)
                    pad.save { result in
                        let saved = Result { try fixture.saved() }
                        completion((result, saved, MainQueue.isCurrent))
                    }
                }
            }
            try found.0.get()
            #expect(try found.1.get() == ["a|0"])
            #expect(found.2)
        }
    }

    @Test(arguments: Topology.allCases)
    func theAsynchronousFormReturnsWhenItIsOnDisk(_ topology: Topology) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            let pad = Scratchpad(of: fixture.stack)
            try await fixture.onMain { _ in _ = ItemStack.insert("a", into: pad.context) }
            try await pad.save()
            #expect(try fixture.saved() == ["a|0"])
        }
    }

    @Test(arguments: Topology.allCases)
    func undoStaysInTheScratchpadAndOffWhatComesFromTheBackground(
        _ topology: Topology
    ) async throws {
        try await TopologyFixture.run(topology) { fixture async throws in
            try await fixture.insert("a")
            let pad = Scratchpad(of: fixture.stack)
            try await fixture.onMain { main in
                main.undoManager = UndoManager()
                let item = try pad.object(ObjectReference(main.item("a")))
                item.setValue("edited", forKey: "name")
                pad.context.processPendingChanges()
            }
            try await fixture.stack.performBackground { context in
                try context.item("a").setValue(9, forKey: "number")
                ItemStack.insert("b", into: context)
            }
            try await fixture.onMain { main in
                #expect(pad.context.undoManager?.canUndo == true)
                pad.context.undo()
                #expect(!pad.hasChanges)
                #expect(try main.items() == ["a|9", "b|0"])
                pad.context.redo()
                try pad.saveAndWait()
                #expect(pad.context.undoManager?.canUndo == false)
            }
            #expect(try fixture.saved() == ["b|0", "edited|9"])
        }
    }

    @Test func withoutLevelsThereIsNoUndo() async throws {
        try await TopologyFixture.run(.notificationMerge) { fixture async throws in
            try await fixture.onMain { _ in
                let pad = Scratchpad(of: fixture.stack, undoLevels: nil)
                #expect(pad.context.undoManager == nil)
            }
        }
    }

    /// What is not valid stays in the form, to be corrected.
    @Test(arguments: Topology.allCases)
    func whatIsNotValidStaysInTheScratchpad(_ topology: Topology) async throws {
        let folder = try ItemFolder()
        let model = ItemStack.makeModel()
        model.entities.first?.attributesByName["name"]?.isOptional = false
        let stack = try topology.make(model: model, stores: [folder.description(.sqlite)])
        try await MainActor.run { () throws in
            let pad = Scratchpad(of: stack)
            let item = ItemStack.insert("a", into: pad.context)
            item.setValue(nil, forKey: "name")
            #expect(throws: (any Error).self) { try pad.saveAndWait() }
            #expect(pad.hasChanges && !stack.mainContext.hasChanges)
            item.setValue("corrected", forKey: "name")
            try pad.saveAndWait()
        }
        #expect(try folder.itemsOnDisk() == ["corrected|0"])
        try await MainActor.run { try stack.tearDown() }
    }
}
