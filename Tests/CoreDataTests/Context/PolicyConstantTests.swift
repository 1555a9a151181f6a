import CoreData
import Testing

/// The constants of the old days, which Apple declares as variables: code in Swift 6 mode can't use
/// them there.
@Suite struct PolicyConstantTests {
    @Test func constantsAreThePolicies() {
        #expect(NSErrorMergePolicy as? NSMergePolicy === NSMergePolicy.error)
        #expect(
            NSMergeByPropertyStoreTrumpMergePolicy as? NSMergePolicy
                === NSMergePolicy.mergeByPropertyStoreTrump
        )
        #expect(
            NSMergeByPropertyObjectTrumpMergePolicy as? NSMergePolicy
                === NSMergePolicy.mergeByPropertyObjectTrump
        )
        #expect(NSOverwriteMergePolicy as? NSMergePolicy === NSMergePolicy.overwrite)
        #expect(NSRollbackMergePolicy as? NSMergePolicy === NSMergePolicy.rollback)
    }
}
