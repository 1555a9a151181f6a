import CoreData
import TestSupport
import Testing

/// Relationships that are set to objects which are deleted.
@Suite struct DanglingReferenceTests {
    /// What a save says of a relationship.
    private func expectRefusal(
        _ context: NSManagedObjectContext,
        of object: NSManagedObject,
        _ key: String,
        line: Int = #line
    ) throws {
        let error = try #require(caughtError(context.save), "\(key), line \(line)")
        #expect(error.domain == NSCocoaErrorDomain, "line \(line)")
        #expect(error.code == NSManagedObjectValidationError, "line \(line)")
        #expect(
            error.localizedDescription.hasPrefix("Dangling reference to an invalid object"),
            "line \(line)"
        )
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == key, "line \(line)")
        let refused = error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
        #expect(refused === object, "line \(line)")
        #expect(context.hasChanges)
    }

    /// How an object is lost.
    enum Loss: String, CaseIterable {
        /// Deleted in the same context, after or before it was saved there, or with the deletion
        /// saved.
        case deleted, deletedUnsaved, deletedAndSaved
        /// Deleted by another context, merged or not.
        case merged, elsewhere
        case batch
        /// Deleted by another coordinator, of which nobody tells.
        case remote

        var isOfFile: Bool { self == .batch || self == .remote }
    }

    /// Makes an object and loses it.
    private func lost(
        _ entity: String,
        _ values: [String: Any],
        by loss: Loss,
        in context: NSManagedObjectContext,
        _ stack: TestStack
    ) throws -> NSManagedObject {
        let object = context.make(entity, values)
        if loss != .deletedUnsaved { try context.save() }
        let id = object.objectID
        switch loss {
        case .deleted, .deletedUnsaved:
            context.processPendingChanges()
            context.delete(object)
            context.processPendingChanges()
        case .deletedAndSaved:
            context.delete(object)
            try context.save()
        case .merged, .elsewhere:
            let saved = try didSave(of: stack.makeContext()) { $0.delete($0.object(with: id)) }
            if loss == .merged { context.mergeChanges(fromContextDidSave: saved) }
        case .batch:
            let other = stack.makeContext()
            _ = try other.onQueue {
                try other.execute(NSBatchDeleteRequest(objectIDs: [id]))
            }
        case .remote:
            let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SampleModel.make())
            let store = try coordinator.addPersistentStore(
                ofType: NSSQLiteStoreType,
                configurationName: nil,
                at: stack.url,
                options: nil
            )
            _ = try didSave(of: coordinator.makeContext()) { $0.delete(try $0.only(entity)) }
            try coordinator.remove(store)
        }
        return object
    }

    /// - Parameter isWritten: Whether the save would write the lost object's row: what another
    ///   coordinator has done to that is a conflict.
    private func withLosses(
        _ kind: StoreKind,
        isWritten: Bool = false,
        _ body: (TestStack, NSManagedObjectContext, Loss) throws -> Void
    ) throws {
        for loss in Loss.allCases
        where (!loss.isOfFile || kind == .sqlite) && (loss != .remote || !isWritten) {
            try withStack(kind) { stack in
                let context = stack.makeContext()
                try context.onQueue { try body(stack, context, loss) }
            }
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aToOneRelationshipCanNotLeadToADeletedObject(kind: StoreKind) throws {
        try withLosses(kind) { stack, context, loss in
            let list = try lost("Playlist", ["title": "gone"], by: loss, in: context, stack)
            let song = context.make("Song", ["title": "a", "playlist": list])
            try expectRefusal(context, of: song, "playlist")
            #expect(try stack.songCount() == 0)
            song.setValue(nil, forKey: "playlist")
            try context.save()
            context.refresh(song, mergeChanges: false)
            #expect(song.one("playlist") == nil)
            // The same for an object that is saved already.
            song.setValue(list, forKey: "playlist")
            try expectRefusal(context, of: song, "playlist")
            context.rollback()
            #expect(song.one("playlist") == nil)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aToManyRelationshipCanNotHoldADeletedObject(kind: StoreKind) throws {
        try withLosses(kind, isWritten: true) { stack, context, loss in
            let person = try lost("Person", ["name": "gone"], by: loss, in: context, stack)
            let department = context.make("Department", ["name": "Sales"])
            department.mutableSetValue(forKey: "people").add(person)
            try expectRefusal(context, of: department, "people")
            department.mutableSetValue(forKey: "people").remove(person)
            #expect(department.set("people").isEmpty)
            context.make("Person", ["name": "Ann", "department": department])
            try context.save()
            #expect(department.set("people").map { $0.text("name") } == ["Ann"])
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aManyToManyRelationshipCanNotHoldADeletedObject(kind: StoreKind) throws {
        try withLosses(kind) { stack, context, loss in
            let tag = try lost("Tag", ["label": "gone"], by: loss, in: context, stack)
            let person = context.make("Person", ["name": "Ann"])
            try context.save()
            person.mutableSetValue(forKey: "tags").add(tag)
            try expectRefusal(context, of: person, "tags")
            context.rollback()
            #expect(person.set("tags").isEmpty)
            try stack.expectNoTags()
        }
    }

    @Test(arguments: StoreKind.allCases)
    func anOrderedRelationshipCanNotHoldADeletedObject(kind: StoreKind) throws {
        try withLosses(kind, isWritten: true) { stack, context, loss in
            let song = try lost("Song", ["title": "gone"], by: loss, in: context, stack)
            let kept = context.make("Song", ["title": "kept"])
            let list = context.make("Playlist", ["title": "l"])
            list.setValue(NSOrderedSet(array: [kept, song]), forKey: "songs")
            try expectRefusal(context, of: list, "songs")
            list.mutableOrderedSetValue(forKey: "songs").remove(song)
            try context.save()
            let songs = list.value(forKey: "songs") as? NSOrderedSet
            #expect(songs?.array as? [NSManagedObject] == [kept])
        }
    }

    /// Delete rules are applied when pending changes are processed, to what is related by then.
    @Test(arguments: StoreKind.allCases)
    func deleteRulesApplyToWhatIsRelatedInTheSameEvent(kind: StoreKind) throws {
        try withContext(kind) { context in
            let list = context.make("Playlist", ["title": "l"])
            let tag = context.make("Tag", ["label": "t"])
            let person = context.make("Person", ["name": "Ann"])
            try context.save()
            context.delete(list)
            context.delete(tag)
            let song = context.make("Song", ["title": "s", "playlist": list])
            person.mutableSetValue(forKey: "tags").add(tag)
            try context.save()
            #expect(song.one("playlist") == nil && person.set("tags").isEmpty)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRequiredToOneIsMissingIfADeleteRuleHasTakenIt(kind: StoreKind) throws {
        let model = SampleModel.make()
        model.entitiesByName["Song"]?.relationshipsByName["playlist"]?.isOptional = false
        try withContext(kind, model: model) { context in
            let list = context.make("Playlist", ["title": "l"])
            try context.save()
            context.delete(list)
            context.make("Song", ["title": "s", "playlist": list])
            #expect(errorCode(context.save) == NSValidationMissingMandatoryPropertyError)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func aRequiredToOneCanNotLeadToADeletedObject(kind: StoreKind) throws {
        let model = SampleModel.make()
        model.entitiesByName["Song"]?.relationshipsByName["playlist"]?.isOptional = false
        try withContext(kind, model: model) { context in
            let list = context.make("Playlist", ["title": "l"])
            try context.save()
            context.delete(list)
            context.processPendingChanges()
            let song = context.make("Song", ["title": "s", "playlist": list])
            try expectRefusal(context, of: song, "playlist")
        }
    }

    /// Old models have this rule on many to-one relationships.
    @Test(arguments: StoreKind.allCases)
    func membersThatGoWithoutARuleAreNoDanglingReferences(kind: StoreKind) throws {
        let model = SampleModel.make()
        let song = model.entitiesByName["Song"]
        song?.relationshipsByName["playlist"]?.deleteRule = .noActionDeleteRule
        try withContext(kind, model: model) { context in
            let list = context.make("Playlist", ["title": "l"])
            let song = context.make("Song", ["title": "s", "playlist": list])
            context.delete(song)
            try context.save()
            #expect(try context.number("Song") == 0)
        }
    }

    @Test(arguments: StoreKind.allCases)
    func relatedObjectsThatAreDeletedTogetherAreFine(kind: StoreKind) throws {
        try withContext(kind) { context in
            let department = context.make("Department", ["name": "Sales"])
            let person = context.make("Person", ["name": "Ann", "department": department])
            person.mutableSetValue(forKey: "friends")
                .add(context.make("Person", ["name": "Bob", "department": department]))
            try context.save()
            context.delete(department)
            try context.save()
            #expect(try context.number("Person") == 0)
        }
    }
}

extension TestStack {
    fileprivate func songCount() throws -> Int {
        let context = makeContext()
        return try context.onQueue { try context.number("Song") }
    }

    /// No row of the join table leads anywhere.
    fileprivate func expectNoTags() throws {
        let context = makeContext()
        try context.onQueue {
            for person in try context.all("Person") { #expect(person.set("tags").isEmpty) }
        }
    }
}
