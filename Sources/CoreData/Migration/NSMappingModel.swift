import Foundation

/// How the objects of a store of one model become objects of another model.
///
/// > Threading: Not thread-safe; change it before it is used.
open class NSMappingModel: NSObject {
    /// The mappings, in the order in which they are carried out.
    open var entityMappings: [NSEntityMapping]! = []

    /// The mappings by name.
    open var entityMappingsByName: [String: NSEntityMapping] {
        Dictionary(entityMappings.map { ($0.name ?? "", $0) }, uniquingKeysWith: { $1 })
    }

    /// Makes an empty mapping model.
    public required override init() { super.init() }

    /// Whether another mapping model has equal mappings, in the same order.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? NSMappingModel).map(isSame) ?? false
    }
    open override var hash: Int { entityMappings.count }

    /// The mapping model that follows from the differences of two models.
    ///
    /// What can be inferred is in Apple's "Using Lightweight Migration" and in our guide to
    /// migration.
    ///
    /// - Throws: `NSInferredMappingModelError` (134190) that names entity, property and reason.
    @discardableResult
    open class func inferredMappingModel(
        forSourceModel sourceModel: NSManagedObjectModel,
        destinationModel: NSManagedObjectModel
    ) throws -> NSMappingModel {
        let match = ModelMatch(
            source: sourceModel.entities,
            destination: destinationModel.entities
        )
        let problems = InferenceProblem.all(in: match)
        guard problems.isEmpty else { throw CocoaError.inferredMapping(problems) }
        let model = NSMappingModel()
        model.entityMappings = InferredMapping.entityMappings(match)
        return model
    }
}
