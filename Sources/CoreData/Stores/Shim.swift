import Foundation
class ShimStore: NSPersistentStore, @unchecked Sendable {
    static func metadata(at: URL) throws -> [String: Any] { [:] }
    static func destroy(at: URL) throws {}
}
extension ShimStore: RowStore {
    func open(model: ModelLayout, entities: [EntityLayout]) throws {}
    func close() {}
    func rows(_ plan: FetchPlan) throws -> [Row] { [] }
    func references(_ plan: FetchPlan) throws -> [RowReference] { [] }
    func count(_ plan: FetchPlan) throws -> Int { 0 }
    func values(_ plan: FetchPlan, columns: ColumnPlan) throws -> [[Any?]] { [] }
    func row(_ layout: EntityLayout, _ primaryKey: Int64) throws -> Row? { nil }
    func holds(_ layout: EntityLayout) -> Bool { true }
    func invalidateRow(_ layout: EntityLayout, _ primaryKey: Int64) {}
    func cachedRow(_ layout: EntityLayout, _ primaryKey: Int64) -> RowCache.Entry { .unknown }
    func related(_ layout: EntityLayout, _ slot: PropertySlot, _ primaryKey: Int64) throws -> [RowReference] { [] }
    func reservePrimaryKeys(rootIndex: Int, count: Int) throws -> Int64 { 1 }
    func write(_ changes: StoreChangeSet) throws {}
}
final class InMemoryStore: ShimStore, @unchecked Sendable {}
