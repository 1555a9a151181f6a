import Foundation
import TestSupport
import Testing

@testable import CoreData

/// Stores that Apple's framework wrote, where they are at hand beside the checkout.
enum SampleStores {
    struct Sample: Sendable, CustomTestStringConvertible {
        let store: String
        /// The source of the model; nil to take the one that the store carries.
        var model: String?
        /// Whether the store was made by a framework whose indexes are the present ones, and not
        /// migrated since.
        var isFresh = true
        var testDescription: String { model == nil ? "\(store), carried model" : store }
    }

    private static let withSources: [Sample] = [
        Sample(
            store: "coredataplus-samplemodel/SampleModel_V1.sqlite",
            model: "coredataplus-samplemodel/SampleModel.xcdatamodeld/SampleModel.xcdatamodel"
        ),
        Sample(
            store: "coredataplus-samplemodel/SampleModel_V2.sqlite",
            model: "coredataplus-samplemodel/SampleModel.xcdatamodeld/SampleModel2.xcdatamodel",
            isFresh: false
        ),
        Sample(
            store: "coredataplus-samplemodel3/SampleModel3_V1.sqlite",
            model: "coredataplus-samplemodel3/SampleModel3.xcdatamodeld/SampleModel3.xcdatamodel"
        ),
        Sample(
            store: "ddg-bookmarks/Bookmarks_V1.sqlite",
            model: "ddg-bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel.xcdatamodel"
        ),
        Sample(
            store: "ddg-bookmarks/Bookmarks_V2.sqlite",
            model: "ddg-bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel 2.xcdatamodel"
        ),
        Sample(
            store: "ddg-bookmarks/Bookmarks_V4.sqlite",
            model: "ddg-bookmarks/BookmarksModel.xcdatamodeld/BookmarksModel 4.xcdatamodel"
        ),
        Sample(
            store: "coredataplus-samplemodel-m2m/SampleModelV2.sqlite",
            model: "coredataplus-samplemodel/SampleModel.xcdatamodeld/SampleModel3.xcdatamodel"
        ),
        Sample(
            store: "carekit/SampleStore2.0.sqlite",
            model: "carekit/CareKitStore.xcdatamodeld/CareKitStore2.0.xcdatamodel"
        ),
        Sample(
            store: "apptentive/ATDataModelv1.sqlite",
            model: "apptentive/ATDataModel.xcdatamodeld/ATDataModel.xcdatamodel",
            isFresh: false
        ),
        Sample(
            store: "apptentive/ATDataModelv6.sqlite",
            model: "apptentive/ATDataModel.xcdatamodeld/ATDataModel 6.xcdatamodel",
            isFresh: false
        ),
    ]
    /// The same stores with the models that they carry, and one whose model is nowhere else.
    private static let carried: [Sample] =
        withSources.filter { !$0.store.hasSuffix("v1.sqlite") }
        .map { Sample(store: $0.store, isFresh: $0.isFresh) }
        + [Sample(store: "coredataplus-samplemodel2/SampleModel2_V2.sqlite")]
    static let all = withSources + carried
    static var fresh: [Sample] { all.filter(\.isFresh) }
    /// What tests over them are enabled by.
    static var areThere: Bool { Samples.areThere("sqlite", "xcdatamodel") }

    struct Copy {
        let folder: URL
        let url: URL
        let model: NSManagedObjectModel
        /// Nil if the model is the one that the store carries.
        let modelFile: URL?
    }

    /// Runs a body with a copy of a sample, in a folder of its own.
    static func withCopy(_ sample: Sample, _ body: (Copy) throws -> Void) throws {
        try Samples.withCopy(of: sample.store) { url in
            let file = try sample.model.map { try Samples.url("xcdatamodel/\($0)") }
            let model =
                try file.map { try NSManagedObjectModel(readingFrom: $0) }
                ?? NSPersistentStoreCoordinator.cachedModelForPersistentStore(at: url)
            let folder = url.deletingLastPathComponent()
            try body(Copy(folder: folder, url: url, model: model, modelFile: file))
        }
    }
}
