import CoreData
import XCTest

/// Where an app's models are, for code that lists them.
class ResourceTests: XCTestCase {
    func testTheProgramListsTheModelsOfItsPackages() throws {
        let urls = Bundle.main.urls(forResourcesWithExtension: "momd", subdirectory: nil)
        let models = try XCTUnwrap(urls).compactMap { NSManagedObjectModel(contentsOf: $0) }
        XCTAssertTrue(models.contains { $0.entitiesByName["Book"] != nil })
    }

    func testTheBundleOfAClassHasNoModelsOfOthers() {
        let bundle = Bundle(for: type(of: self))
        XCTAssertEqual(bundle.urls(forResourcesWithExtension: "momd", subdirectory: nil) ?? [], [])
        XCTAssertEqual(bundle.urls(forResourcesWithExtension: "cdm", subdirectory: nil) ?? [], [])
    }

    func testAContainerFindsTheModelOfItsName() {
        let container = NSPersistentContainer(name: "Library")
        XCTAssertNotNil(container.managedObjectModel.entitiesByName["Book"])
        XCTAssertEqual(container.name, "Library")
        XCTAssertEqual(
            container.persistentStoreDescriptions.first?.url?.lastPathComponent,
            "Library.sqlite"
        )
    }

    /// Without a model of its name it takes all that there are.
    func testAContainerOfAnotherNameTakesAllModels() {
        let container = NSPersistentContainer(name: "Anything")
        XCTAssertNotNil(container.managedObjectModel.entitiesByName["Book"])
        XCTAssertEqual(container.name, "Anything")
    }
}
