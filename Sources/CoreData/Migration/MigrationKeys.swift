/// The variable that stands for the migration manager in a mapping's expressions.
public let NSMigrationManagerKey = "manager"
/// The variable that stands for the source's object.
public let NSMigrationSourceObjectKey = "source"
/// The variable that stands for the destination's object.
public let NSMigrationDestinationObjectKey = "destination"
/// The variable that stands for the entity mapping.
public let NSMigrationEntityMappingKey = "entityMapping"
/// The variable that stands for the property mapping.
public let NSMigrationPropertyMappingKey = "propertyMapping"
/// The variable that stands for the entity migration policy.
public let NSMigrationEntityPolicyKey = "entityPolicy"
