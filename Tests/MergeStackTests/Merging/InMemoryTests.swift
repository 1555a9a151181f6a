import CoreData

// The suites of this folder over a store in memory. Tests are found by the class that declares
// them, so each is declared again.

final class InMemoryMergeDeliveryTests: MergeDeliveryTests {
    override var storeType: String { NSInMemoryStoreType }

    override func testSynchronousDeliveryMergesBeforeTheSaveReturns() throws {
        try super.testSynchronousDeliveryMergesBeforeTheSaveReturns()
    }
    override func testSynchronousDeliveryHandsOverWhenMainIsBlockedByTheSaver() throws {
        try super.testSynchronousDeliveryHandsOverWhenMainIsBlockedByTheSaver()
    }
    override func testAsynchronousDeliveryFinishesWhenMainIsBlockedByTheSaver() throws {
        try super.testAsynchronousDeliveryFinishesWhenMainIsBlockedByTheSaver()
    }
    override func testAContextSavedOnMainIsMergedInline() throws {
        try super.testAContextSavedOnMainIsMergedInline()
    }
    override func testInlineDeliveryTakesWhatIsInLineBeforeItFirst() throws {
        try super.testInlineDeliveryTakesWhatIsInLineBeforeItFirst()
    }
    override func testNothingIsMergedWhileMainSaves() throws {
        try super.testNothingIsMergedWhileMainSaves()
    }
    override func testMergingGoesOnAfterMainFailedToSave() throws {
        try super.testMergingGoesOnAfterMainFailedToSave()
    }
}

final class InMemoryMergeOrderTests: MergeOrderTests {
    override var storeType: String { NSInMemoryStoreType }

    override func testInsertAndDeleteBeforeMainDrains() throws {
        try super.testInsertAndDeleteBeforeMainDrains()
    }
    override func testManySavesOfManyContextsMakeVersionsGrowOnly() throws {
        try super.testManySavesOfManyContextsMakeVersionsGrowOnly()
    }
    override func testNothingIsLostWhenManyThreadsSave() throws {
        try super.testNothingIsLostWhenManyThreadsSave()
    }
    override func testLocalChangesStayOnTop() throws { try super.testLocalChangesStayOnTop() }
}

final class InMemoryMergeFilterTests: MergeFilterTests {
    override var storeType: String { NSInMemoryStoreType }

    override func testForeignCoordinatorsAreDropped() throws {
        try super.testForeignCoordinatorsAreDropped()
    }
    override func testOwnSavesAreDropped() throws { try super.testOwnSavesAreDropped() }
    override func testSavesOfChildrenOfMainAreDropped() throws {
        try super.testSavesOfChildrenOfMainAreDropped()
    }
    override func testEmptySavesAreDropped() throws { try super.testEmptySavesAreDropped() }
    override func testASaveInADidMergeObserverDoesNotLoop() throws {
        try super.testASaveInADidMergeObserverDoesNotLoop()
    }
    override func testTheReportSaysWhatHappened() throws {
        try super.testTheReportSaysWhatHappened()
    }
}

final class InMemoryMergerLifetimeTests: MergerLifetimeTests {
    override var storeType: String { NSInMemoryStoreType }

    override func testInvalidatedMergersDropWhatIsInLine() throws {
        try super.testInvalidatedMergersDropWhatIsInLine()
    }
    override func testReleasedMergersStop() throws { try super.testReleasedMergersStop() }
    override func testThousandStacksLeaveNoObservers() throws {
        try super.testThousandStacksLeaveNoObservers()
    }
    override func testAMergerOutlivesItsMainContext() throws {
        try super.testAMergerOutlivesItsMainContext()
    }
}

final class InMemoryMergeBarrierTests: MergeBarrierTests {
    override var storeType: String { NSInMemoryStoreType }

    override func testCompletionRunsOnMainAfterTheMerges() throws {
        try super.testCompletionRunsOnMainAfterTheMerges()
    }
    override func testWaitingOffMain() throws { try super.testWaitingOffMain() }
    override func testWaitingOffMainGivesUpWhileMainIsBlocked() throws {
        try super.testWaitingOffMainGivesUpWhileMainIsBlocked()
    }
    override func testWaitingOnMainMergesThere() throws { try super.testWaitingOnMainMergesThere() }
    override func testAsyncFormReturnsWhenMainShowsTheChange() throws {
        try super.testAsyncFormReturnsWhenMainShowsTheChange()
    }
}

final class InMemoryFaultPolicyTests: FaultPolicyTests {
    override var storeType: String { NSInMemoryStoreType }

    override func testUpdatedIntoTheResult() throws { try super.testUpdatedIntoTheResult() }
    override func testUpdatedOutOfTheResult() throws { try super.testUpdatedOutOfTheResult() }
    override func testGoneObjectsAreCountedNotThrown() throws {
        try super.testGoneObjectsAreCountedNotThrown()
    }
}

final class InMemoryMergeStressTests: MergeStressTests {
    override var storeType: String { NSInMemoryStoreType }

    override func testManyWritersAndALiveResultsController() throws {
        try super.testManyWritersAndALiveResultsController()
    }
}
