import CoreData
import Foundation

/// A public call of contexts and objects that belongs on the context's queue.
///
/// Not among them are what says what an object is and where it belongs (`objectID`, `entity`,
/// `managedObjectContext`), settings, which are made before a context is used, and what finds its
/// queue by itself (`perform(_:)`, merging into several contexts).
struct QueueCall: @unchecked Sendable {
    // @unchecked: the closures touch nothing but their arguments.

    let name: String
    /// The member that the text names, where it is another one.
    let told: String
    let make: (QueueSetting) throws -> Void

    init(
        _ name: String,
        told: String? = nil,
        _ make: @escaping (QueueSetting) throws -> Void
    ) {
        self.name = name
        self.told = told ?? name
        self.make = make
    }

    static let all = ofContexts + ofRequests + ofObjects + ofValues + ofCollections

    static func named(_ name: String) -> QueueCall? { all.first { $0.name == name } }
}
