import Foundation

/// What makes mappings equal: those of one file that are read twice say the same, as models do.
extension NSMappingModel {
    final func isSame(as other: NSMappingModel) -> Bool {
        self === other
            // Of one class, so that equality holds in both directions: a subclass may know more.
            || type(of: self) == type(of: other) && entityMappings == other.entityMappings
    }
}

extension NSEntityMapping {
    final func isSame(as other: NSEntityMapping) -> Bool {
        self === other
            || type(of: self) == type(of: other) && name == other.name
                && mappingType == other.mappingType
                && sourceEntityName == other.sourceEntityName
                && sourceEntityVersionHash == other.sourceEntityVersionHash
                && destinationEntityName == other.destinationEntityName
                && destinationEntityVersionHash == other.destinationEntityVersionHash
                && entityMigrationPolicyClassName == other.entityMigrationPolicyClassName
                && sourceExpression == other.sourceExpression
                && attributeMappings == other.attributeMappings
                && relationshipMappings == other.relationshipMappings
                && areEqual(userInfo, other.userInfo)
    }
}

extension NSPropertyMapping {
    final func isSame(as other: NSPropertyMapping) -> Bool {
        self === other
            || type(of: self) == type(of: other) && name == other.name
                && valueExpression == other.valueExpression
                && areEqual(userInfo, other.userInfo)
    }
}

private func areEqual(_ left: [AnyHashable: Any]?, _ right: [AnyHashable: Any]?) -> Bool {
    guard let left, let right else { return (left == nil) == (right == nil) }
    return NSDictionary(dictionary: left).isEqual(NSDictionary(dictionary: right))
}
