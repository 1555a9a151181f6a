import Foundation
import Testing

@testable import CoreData

/// Migrations in several passes, each of which opens the stores anew.
@Suite struct MigrationPassTests {
    private func model() -> NSManagedObjectModel {
        makeModel([
            makeEntity("Team", [makeAttribute("name")]),
            makeEntity("Person", [makeAttribute("name")]),
        ])
    }

    private func withManager(
        _ body: (NSMigrationManager, PassNotes, _ pass: (NSMappingModel) throws -> Void) throws ->
            Void
    ) throws {
        let model = model()
        let fixture = try MigrationFixture(model) { context in
            for name in ["red", "blue"] { context.insert("Team", ["name": name]) }
            context.insert("Person", ["name": "ann"])
        }
        let manager = NSMigrationManager(sourceModel: model, destinationModel: model)
        let notes = PassNotes()
        manager.userInfo = ["notes": notes]
        try body(manager, notes) { mapping in
            try manager.migrateStore(
                from: fixture.url,
                type: .sqlite,
                mapping: mapping,
                to: fixture.folder.appendingPathComponent("New.sqlite"),
                type: .sqlite
            )
        }
    }

    @Test func aPassFindsWhatTheOneBeforeHasMade() throws {
        try withManager { _, notes, pass in
            try pass(makeNameMapping(["Team"]))
            try pass(makeNameMapping(["Person"], policy: AskingPolicy.self))
            #expect(notes.sources == ["blue", "red"] && notes.destinations == ["blue", "red"])
            #expect(notes.isCurrent)
        }
    }

    @Test func aPassFindsWhatItHasMadeItself() throws {
        try withManager { _, notes, pass in
            try pass(makeNameMapping(["Team"], policy: AskingPolicy.self))
            #expect(notes.sources == ["blue", "red"] && notes.destinations == ["blue", "red"])
        }
    }

    @Test func cancellingTheProgressEndsTheMigration() throws {
        try withManager { _, _, pass in
            let error = #expect(throws: CocoaError.self) {
                try pass(makeNameMapping(["Team"], policy: CancellingPolicy.self))
            }
            #expect(error?.errorCode == NSMigrationCancelledError)
        }
    }

    @Test func aResetForgetsWhatPassesHaveMade() throws {
        try withManager { manager, notes, pass in
            try pass(makeNameMapping(["Team"]))
            manager.reset()
            try pass(makeNameMapping(["Person"], policy: AskingPolicy.self))
            #expect(notes.sources.isEmpty && notes.destinations.isEmpty)
            #expect(notes.isCurrent)
        }
    }
}

/// What the manager told a policy.
final class PassNotes {
    var sources: [String] = []
    var destinations: [String] = []
    var isCurrent = false
}

/// Asks in its own pass for what the pass before it has made of what.
final class AskingPolicy: NSEntityMigrationPolicy {
    override func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {
        let notes = try #require(manager.userInfo?["notes"] as? PassNotes)
        let all = manager.sourceInstances(
            forEntityMappingName: "Team",
            destinationInstances: nil
        )
        let made = manager.destinationInstances(
            forEntityMappingName: "Team",
            sourceInstances: all
        )
        let back = manager.sourceInstances(
            forEntityMappingName: "Team",
            destinationInstances: made
        )
        #expect(Set(back) == Set(all))
        // A mapping that there is not, and objects that it was not given.
        #expect(
            manager.sourceInstances(forEntityMappingName: "None", destinationInstances: made)
                .isEmpty
                && manager.sourceInstances(
                    forEntityMappingName: "None",
                    destinationInstances: nil
                ).isEmpty
                && manager.destinationInstances(
                    forEntityMappingName: "Person",
                    sourceInstances: all
                ).isEmpty
        )
        notes.sources = all.compactMap { $0.text("name") }.sorted()
        notes.destinations = made.compactMap { $0.text("name") }.sorted()
        notes.isCurrent =
            manager.currentEntityMapping === mapping
            && manager.mappingModel.entityMappings.contains { $0 === mapping }
    }
}

/// A policy that cancels by the progress that a window shows.
final class CancellingPolicy: NSEntityMigrationPolicy {
    override func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {
        manager.progress.cancel()
    }
}
