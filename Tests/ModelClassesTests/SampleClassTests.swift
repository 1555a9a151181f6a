import Foundation
import ModelClasses
import TestSupport
import Testing

/// Models that Xcode wrote, where they are at hand beside the checkout.
@Suite struct SampleClassTests {
    private static let folder = Samples.folder("xcdatamodel")

    @Test func everySampleGivesClasses() throws {
        guard let folder = Self.folder else { return }
        let walk = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        var count = 0
        while let url = walk?.nextObject() as? URL {
            guard url.pathExtension == "xcdatamodeld" else { continue }
            let generator = ClassGenerator(try ModelSource(contentsOf: url), includesManual: true)
            count += generator.files().count
        }
        #expect(count > 50)
    }

    /// The entities of this model are all "Class Definition".
    @Test func sharedPhotosAreGenerated() throws {
        guard let folder = Self.folder else { return }
        let model = try ModelSource(
            contentsOf: folder.appendingPathComponent(
                "cloudkit-share/CoreDataCloudKitShare.xcdatamodeld"
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
