import Foundation

/// The expressions that mapping models are made of.
enum MappingExpressions {
    /// `$source.key`: what the source's object has.
    static func source(_ key: String) -> NSExpression { value(key, of: NSMigrationSourceObjectKey) }

    /// What the mappings have made of the objects of a source's relationship.
    static func destinations(ofSourceRelationship key: String) -> NSExpression {
        call(.destinationInstancesForSourceRelationship, [constant(key), source(key)])
    }

    /// What one mapping has made of the objects that a key path of the source leads to.
    static func destinations(of mapping: String, sourceRelationship key: String) -> NSExpression {
        call(.destinationInstancesForEntityMapping, [constant(mapping), source(key)])
    }

    /// All objects of just one entity of the source.
    static func objects(ofEntity name: String) -> NSExpression {
        NSFetchRequestExpression(
            .fetch(
                request: call(.fetchRequest, [constant(name), constant("TRUEPREDICATE")]),
                context: value("sourceContext", of: NSMigrationManagerKey),
                countsOnly: false
            )
        )
    }

    private static func value(_ key: String, of variable: String) -> NSExpression {
        NSExpression(.keyPath(operand: NSExpression(forVariable: variable), path: key))
    }

    private static func constant(_ text: String) -> NSExpression {
        NSExpression(forConstantValue: text)
    }

    private static func call(
        _ function: ManagerFunction,
        _ arguments: [NSExpression]
    ) -> NSExpression {
        let manager = NSExpression(forVariable: NSMigrationManagerKey)
        return NSExpression(
            .function(name: function.rawValue, arguments: [manager] + arguments)
        )
    }
}
