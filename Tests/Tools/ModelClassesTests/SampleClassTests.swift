import Foundation
import ModelClasses
import TestSupport
import Testing

/// Models that Xcode wrote, where they are at hand beside the checkout.
@Suite(.enabled(if: Samples.areThere("xcdatamodel"), "needs shared/samples/xcdatamodel"))
struct SampleClassTests {
    @Test func everySampleGivesClasses() throws {
        var count = 0
        for url in try Samples.files(in: "xcdatamodel", extensions: ["xcdatamodeld"]) {
            let generator = ClassGenerator(try ModelSource(contentsOf: url), includesManual: true)
            count += generator.files().count
        }
        #expect(count > 50)
    }

    /// The entities of this model are all "Class Definition".
    @Test func sharedPhotosAreGenerated() throws {
        let model = try ModelSource(
            contentsOf: try Samples.url(
                "xcdatamodel/cloudkit-share/CoreDataCloudKitShare.xcdatamodeld"
            )
        )
        let text = ClassGenerator(model).text(named: "Photos.swift")
        for line in [
            "public class Photo: NSManagedObject {}", "    @NSManaged public var value: Int16",
            "    @NSManaged public var photoCount: Int64", "    @NSManaged public var uuid: UUID?",
            "    @NSManaged public var thumbnail: Thumbnail?",
            "    @NSManaged public func addToRatings(_ value: Rating)",
        ] {
            #expect(text.contains(line + "\n"))
        }
    }
}
