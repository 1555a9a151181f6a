import Foundation
import StoreInspection

/// What `mergectl inspect --format json` prints.
struct InspectionReport: Encodable {
    private struct Entity: Encodable {
        let name: String
        /// How many rows are of just this entity; nil if damage keeps them from being counted.
        let objectCount: Int?
        // What follows is nil if there is no model to tell it.
        let versionHash: String?
        let facts: [String: String]?
        let properties: [ModelReport.Item]?
        let indexes: [ModelReport.Item]?

        init(_ name: String, objectCount: Int?, _ model: ModelReport.Entity?) {
            self.name = name
            self.objectCount = objectCount
            versionHash = model?.versionHash
            facts = model?.facts
            properties = model?.properties
            indexes = model?.indexes
        }
    }

    private struct Integrity: Encodable {
        let isChecked: Bool
        let problems: [String]
    }

    private let store: String
    private let entities: [Entity]
    private let file: StoreContents.FileFacts?
    private let server: ServerFacts?
    private let metadata: [String: JSONValue]
    private let integrity: Integrity

    init(_ store: String, _ contents: StoreContents) {
        self.store = store
        let counts = Dictionary(
            contents.counts.map { ($0.name, $0.count) },
            uniquingKeysWith: { $0 + $1 }
        )
        let outlines = contents.model.map(ModelOutline.init)?.entities ?? []
        let models = Dictionary(
            outlines.map { ($0.name, ModelReport.Entity($0)) },
            uniquingKeysWith: { $1 }
        )
        entities = Set(counts.keys).union(models.keys).sorted().map {
            Entity($0, objectCount: counts[$0], models[$0])
        }
        file = contents.file
        server = contents.server
        metadata = contents.metadata.mapValues(JSONValue.init)
        integrity = Integrity(isChecked: contents.isChecked, problems: contents.problems)
    }
}
