import CoreData
import Foundation

extension Scenario {
    /// Stores that are read and written as a whole.
    static let fileStores: [Scenario] = [NSBinaryStoreType, NSXMLStoreType].flatMap { type in
        let kind = type == NSBinaryStoreType ? "binary" : "xml"
        return [
            opening("first-opening-\(kind)", type: type, template: { _ in }, isFilled: false),
            opening(
                "opening-\(kind)",
                type: type,
                template: { try Samples.filled($0, type: type) },
                isFilled: true
            ),
            save("insert-\(kind)", type: type) { context in
                context.make("Item", "new").setValue(Samples.large(16), forKey: "data")
                context.make("Owner", "new owner")
            },
            save("change-\(kind)", type: type) { context in
                let items = try context.all("Item")
                items[0].setValue(Int64(60), forKey: "value")
                items[1].setValue(Set(try context.all("Tag").prefix(1)), forKey: "tags")
                context.delete(items[2])
                for list in try context.all("List").prefix(1) { context.delete(list) }
            },
        ]
    }
}
