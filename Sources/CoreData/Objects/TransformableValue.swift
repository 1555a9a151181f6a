import Foundation

/// Values of transformable attributes as stores keep them.
///
/// The default form is a keyed archive, as Apple's secure transformer writes it. Only classes of
/// Foundation's property-list family come out of one. An attribute that names a transformer has
/// what that makes; if no transformer of the name is registered, the default serves, as on Apple's
/// platforms.
enum TransformableValue {
    /// What the default form may hold.
    static let propertyListClasses: [AnyClass] = [
        NSString.self, NSNumber.self, NSArray.self, NSDictionary.self, NSDate.self,
        NSData.self, NSSet.self, NSURL.self, NSUUID.self, NSOrderedSet.self, NSNull.self,
    ]

    /// - Throws: A sentence that names the attribute, if its transformer makes no data of the value.
    static func archive(_ value: Any, _ property: NSPropertyDescription) throws -> Data {
        if let composite = property as? NSCompositeAttributeDescription {
            let layout = CompositeLayout(composite)
            return layout.bytes(try layout.values(of: value, composite.name))
        }
        guard let transformer = transformer(property) else {
            return try NSKeyedArchiver.archivedData(
                withRootObject: value as AnyObject,
                requiringSecureCoding: true
            )
        }
        // Those that make objects of archives are used the other way round.
        let result =
            transformer is NSSecureUnarchiveFromDataTransformer
            ? transformer.reverseTransformedValue(value) : transformer.transformedValue(value)
        guard let data = result as? Data else {
            throw CocoaError.coreData(
                "The transformer of the attribute \"\(property.name)\" made no data of a value of "
                    + "type \(type(of: value)): set a value that it takes, or return Data from it."
            )
        }
        return data
    }

    /// nil for bytes that are no archive of an allowed class.
    static func unarchive(_ data: Data, _ property: NSPropertyDescription) -> Any? {
        if let composite = property as? NSCompositeAttributeDescription {
            let layout = CompositeLayout(composite)
            return layout.dictionary(of: layout.values(data))
        }
        if let transformer = transformer(property) {
            return transformer is NSSecureUnarchiveFromDataTransformer
                ? transformer.transformedValue(data) : transformer.reverseTransformedValue(data)
        }
        do {
            return try NSKeyedUnarchiver.unarchivedObject(
                ofClasses: propertyListClasses,
                from: data
            )
        } catch {
            return nil
        }
    }

    private static func transformer(_ property: NSPropertyDescription) -> ValueTransformer? {
        guard let name = (property as? NSAttributeDescription)?.valueTransformerName else {
            return nil
        }
        return ValueTransformer.named(NSValueTransformerName(name))
    }
}
