import CoreData
import TestSupport
import Testing

#if canImport(FoundationXML)
import FoundationXML
#endif

private let fileKinds: [StoreKind] = [.binary, .xml]

/// Stores in files that are read and written as a whole.
@Suite struct FileStoreTests {
    private func coordinator(
        _ kind: StoreKind,
        _ url: URL,
        model: NSManagedObjectModel = SampleModel.make(),
        options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStoreCoordinator {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        _ = try coordinator.addPersistentStore(
            ofType: kind.type,
            configurationName: nil,
            at: url,
            options: options
        )
        return coordinator
    }

    private let values: [String: Any] = [
        "name": "<Ada> & \"Ä\" \r\n\t]]> \u{1F469}\u{200D}", "age": -5, "height": 0.1,
        "isActive": NSNumber(value: false), "born": Date(timeIntervalSinceReferenceDate: -1.5),
        "identifier": UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16)),
        "balance": NSDecimalNumber(string: "12345678901234567890.0123"),
        "photo": Data([0, 255, 10]), "homepage": URL(fileURLWithPath: "/a%20b"),
    ]

    @Test(arguments: fileKinds)
    func allIsThereWhenTheFileIsReadAgain(kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            let first = try coordinator(kind, url)
            let writer = first.makeContext()
            try writer.onQueue {
                let ada = writer.make("Manager", values)
                ada.setValue(Int64.min, forKey: "salary")
                ada.setValue(Float(0.1), forKey: "bonus")
                ada.setValue(writer.make("Department", ["name": "\u{1}"]), forKey: "department")
                ada.setValue(
                    Set(["a", "b"].map { writer.make("Tag", ["label": $0]) }),
                    forKey: "tags"
                )
                ada.setValue(Set([writer.make("Person", ["name": "Bob"])]), forKey: "friends")
                let songs = ["c", "a", "b"].map { writer.make("Song", ["title": $0]) }
                let list = writer.make("Playlist")
                list.setValue(NSOrderedSet(array: songs), forKey: "songs")
                writer.delete(try #require(songs.last))
                try writer.save()
            }
            let uuid = first.persistentStores.first?.identifier
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == ["Store"])

            let second = try coordinator(kind, url)
            #expect(second.persistentStores.first?.identifier == uuid)
            let reader = second.makeContext()
            try reader.onQueue {
                let ada = try reader.only("Manager")
                for (key, value) in values {
                    #expect(
                        ada.value(forKey: key) as? AnyHashable == value as? AnyHashable,
                        "\(key)"
                    )
                }
                #expect(ada.value(forKey: "salary") as? Int64 == .min)
                #expect(ada.value(forKey: "bonus") as? Float == 0.1)
                #expect(ada.one("department")?.text("name") == "\u{1}")
                #expect(Set(ada.set("tags").map { $0.text("label") }) == ["a", "b"])
                #expect(ada.set("friends").first?.set("friends") == [ada])
                let songs = try reader.only("Playlist").value(forKey: "songs") as? NSOrderedSet
                #expect(songs?.array.map { ($0 as? NSManagedObject)?.text("title") } == ["c", "a"])
                // Keys of rows that are gone are not given out again.
                let known = try reader.all("Song").map { $0.objectID.uriRepresentation() }
                let song = reader.make("Song")
                try reader.obtainPermanentIDs(for: [song])
                #expect(!known.contains(song.objectID.uriRepresentation()))
            }
        }
    }

    @Test func anXMLStoreIsXMLToOthers() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store.xml")
            let context = try coordinator(.xml, url).makeContext()
            try context.onQueue {
                let text = try #require(values["name"])
                context.make("Tag", ["label": text])
                try context.save()
            }
            let document = try XMLDocument(contentsOf: url)
            let labels = try document.nodes(forXPath: "/database/object[@type='Tag']/attribute")
            #expect(labels.map(\.stringValue) == [values["name"] as? String])
        }
    }

    @Test(arguments: fileKinds)
    func metadataStayWithTheFile(kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            let first = try coordinator(kind, url)
            let store = try #require(first.persistentStores.first)
            var metadata = first.metadata(for: store)
            let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
            let own: [String: Any] = [
                "text": "ä", "flag": true, "number": 5, "real": 0.5, "date": date,
                "data": Data([1, 2]), "list": ["a", ["b": 1]],
            ]
            metadata.merge(own) { $1 }
            first.setMetadata(metadata, for: store)
            let writer = first.makeContext()
            try writer.onQueue {
                writer.make("Tag")
                try writer.save()
            }
            let type = kind.type
            let read = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: type,
                at: url
            )
            #expect(read[NSStoreTypeKey] as? String == type)
            #expect(read[NSStoreUUIDKey] as? String == store.identifier)
            let hashes = read[NSStoreModelVersionHashesKey] as? [String: Data]
            #expect(hashes == first.managedObjectModel.entityVersionHashesByName)
            #expect(read["text"] as? String == "ä" && read["flag"] as? Bool == true)
            #expect(read["number"] as? Int == 5 && read["real"] as? Double == 0.5)
            #expect(read["date"] as? Date == date && read["data"] as? Data == Data([1, 2]))
            #expect((read["list"] as? [Any])?.first as? String == "a")
            try NSPersistentStoreCoordinator.setMetadata(
                ["text": "new"],
                forPersistentStoreOfType: type,
                at: url
            )
            let changed = try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: type,
                at: url
            )
            #expect(changed["text"] as? String == "new" && changed["flag"] == nil)
            #expect(changed[NSStoreUUIDKey] as? String == store.identifier)
            let reader = try coordinator(kind, url).makeContext()
            try reader.onQueue {
                let count = try reader.number("Tag")
                #expect(count == 1)
            }
        }
    }

    @Test(arguments: fileKinds)
    func aFailedSaveLeavesTheFileAsItWas(kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            let coordinator = try coordinator(kind, url)
            let context = coordinator.makeContext()
            try context.onQueue {
                let tag = context.make("Tag", ["label": "old"])
                try context.save()
                // Someone else has replaced the file: it must not be lost.
                let bytes = try Data(contentsOf: url)
                try bytes.write(to: url, options: .atomic)
                tag.setValue("new", forKey: "label")
                #expect(errorCode { try context.save() } == NSPersistentStoreSaveError)
                #expect(context.hasChanges)
                #expect(try Data(contentsOf: url) == bytes)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names == ["Store"])
        }
    }

    @Test(arguments: fileKinds)
    func wrongFilesAreRefused(kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            func code(_ url: URL, _ options: [AnyHashable: Any]? = nil) -> Int? {
                errorCode { _ = try coordinator(kind, url, options: options) }
            }
            let junk = folder.appendingPathComponent("junk")
            try Data("no store".utf8).write(to: junk)
            #expect(code(junk) == CocoaError.fileReadCorruptFile.rawValue)
            #expect(try Data(contentsOf: junk) == Data("no store".utf8))
            #expect(code(folder) == CocoaError.fileReadCorruptFile.rawValue)
            let missing = folder.appendingPathComponent("missing")
            let readOnly = [NSReadOnlyPersistentStoreOption: true]
            #expect(code(missing, readOnly) == CocoaError.fileReadNoSuchFile.rawValue)
            #expect(code(folder.appendingPathComponent("none/Store")) != nil)
            let other = folder.appendingPathComponent("other")
            _ = try coordinator(kind, other, model: RulesModel.make())
            #expect(code(other) == NSPersistentStoreIncompatibleVersionHashError)
            #expect(code(other, [NSIgnorePersistentStoreVersioningOption: true]) == nil)
        }
    }

    @Test(arguments: fileKinds)
    func aReadOnlyStoreRefusesSaves(kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store")
            let writer = try coordinator(kind, url).makeContext()
            try writer.onQueue {
                writer.make("Tag", ["label": "old"])
                try writer.save()
            }
            let options = [NSReadOnlyPersistentStoreOption: true]
            let reader = try coordinator(kind, url, options: options).makeContext()
            try reader.onQueue {
                try reader.only("Tag").setValue("new", forKey: "label")
                #expect(
                    errorCode { try reader.save() } == CocoaError.fileWriteNoPermission.rawValue
                )
                reader.rollback()
                reader.make("Tag")
                #expect(throws: (any Error).self) { try reader.save() }
            }
        }
    }

    /// Each byte changed, and each length cut: never a crash, and an error that says what is wrong
    /// or the same number of objects.
    @Test(arguments: fileKinds)
    func damagedFilesThrowOrRead(kind: StoreKind) throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("Store"),
                bad = folder.appendingPathComponent("Bad")
            let writer = try coordinator(kind, url).makeContext()
            try writer.onQueue {
                let person = writer.make("Person", values)
                person.setValue(Set([writer.make("Tag")]), forKey: "tags")
                try writer.save()
            }
            let bytes = try Data(contentsOf: url)
            let model = SampleModel.make()
            var refused = 0
            for index in stride(from: 0, to: bytes.count, by: kind == .xml ? 11 : 3) {
                var changed = bytes
                changed[index] ^= UInt8(1 + index % 255)
                for damaged in [changed, Data(bytes.prefix(index))] where !damaged.isEmpty {
                    try damaged.write(to: bad)
                    do {
                        let coordinator = try coordinator(kind, bad, model: model)
                        let reader = coordinator.makeContext()
                        try reader.onQueue {
                            for person in try reader.all("Person") {
                                for key in values.keys { _ = person.value(forKey: key) }
                                _ = person.set("tags").count
                            }
                        }
                    } catch {
                        refused += 1
                        let code = (error as NSError).code
                        #expect(code == 259 || (134_000..<135_000).contains(code), "\(error)")
                    }
                }
            }
            #expect(refused > 0)
        }
    }
}
