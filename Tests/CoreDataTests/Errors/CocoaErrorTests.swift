import Testing

@testable import CoreData

@Suite struct CocoaErrorTests {
    @Test func validationErrorsNameEntityKeyAndRemedy() {
        let object = NSObject()
        let error: any Error = CocoaError.validation(
            .numberTooLarge,
            entity: "Airport",
            key: "elevation",
            object: object,
            value: 90_000
        )
        let cocoa = error as? CocoaError
        #expect(cocoa?.code == .validationNumberTooLarge)
        #expect(cocoa?.validationKey == "elevation")
        #expect(cocoa?.validationObject as AnyObject? === object)
        #expect(cocoa?.validationValue as? Int == 90_000)
        #expect(error.localizedDescription.hasPrefix("Airport.elevation is too large"))
        #expect((error as NSError).localizedDescription == error.localizedDescription)
        #expect(!error.localizedDescription.contains("90"))
    }

    @Test func aMissingValueHasNoValueInTheError() {
        let error = CocoaError.validation(
            .missingMandatoryProperty,
            entity: "Note",
            key: "title",
            object: NSObject(),
            value: nil
        )
        #expect(error.code.rawValue == NSValidationMissingMandatoryPropertyError)
        #expect(error.userInfo[NSValidationValueErrorKey] == nil)
        #expect(error.localizedDescription.contains("Note.title is a required value"))
    }

    @Test func combiningOneErrorGivesItBack() {
        let error = CocoaError.validation(
            .stringTooLong,
            entity: "Note",
            key: "title",
            object: NSObject(),
            value: "x"
        )
        #expect((CocoaError.combining([error]) as? CocoaError)?.code == .validationStringTooLong)
        #expect(CocoaError.combining([]) == nil)
    }

    @Test func combiningFlattensLists() throws {
        let single = CocoaError.validation(
            .stringTooLong,
            entity: "Note",
            key: "title",
            object: NSObject(),
            value: "x"
        )
        let pair = try #require(CocoaError.combining([single, single]))
        let all = try #require(CocoaError.combining([pair, single, pair])) as NSError
        #expect(all.code == NSValidationMultipleErrorsError)
        let details = try #require(all.userInfo[NSDetailedErrorsKey] as? [NSError])
        #expect(details.map(\.code) == [1660, 1660, 1660, 1660, 1660])
        #expect(details[0].userInfo[NSValidationKeyErrorKey] as? String == "title")
    }

    @Test func aPredicatesWarningIsItsCodeOrItsSentence() {
        let predicate = NSPredicate(value: false)
        func error(_ warning: Any?) -> CocoaError {
            .validation(
                predicate: predicate,
                warning: warning,
                entity: "Note",
                key: "title",
                object: NSObject(),
                value: nil
            )
        }
        #expect(error(1670).code == .validationStringTooShort)
        #expect(error("Say more.").localizedDescription == "Say more.")
        #expect(error(nil).code == .managedObjectValidation)
        #expect(error(nil).validationPredicate === predicate)
    }

    @Test func sqliteErrorsKeepTheCodeBelow() throws {
        let url = URL(fileURLWithPath: "/data/World.sqlite")
        let error = CocoaError.sqlite(url, code: 13, message: "database or disk is full")
        #expect(error.code == .sqlite)
        let underlying = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(underlying.domain == NSSQLiteErrorDomain)
        #expect(underlying.code == 13)
        #expect(error.localizedDescription.contains("\"/data/World.sqlite\""))
    }

    @Test func incompatibleVersionHashesCarryTheMetadata() {
        let error = CocoaError.incompatibleVersionHash(nil, metadata: [NSStoreTypeKey: "SQLite"])
        #expect(error.code == .persistentStoreIncompatibleVersionHash)
        #expect((error.userInfo["metadata"] as? [String: Any])?.count == 1)
        #expect(error.userInfo["reason"] is String)
    }

    @Test func codesAreApples() {
        #expect(CocoaError.managedObjectMerge.rawValue == 133_020)
        #expect(CocoaError.Code.persistentStoreUnsupportedRequestType.rawValue == 134_091)
        #expect(CocoaError.mergeConflicts([]).code.rawValue == NSManagedObjectMergeError)
        #expect(CocoaError.fileNotWritable(nil).code.rawValue == 513)
        #expect(CocoaError.volumeReadOnly(nil).code.rawValue == 642)
        #expect(CocoaError.corruptFile(nil, "no header").code.rawValue == 259)
        #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList")
    }
}
