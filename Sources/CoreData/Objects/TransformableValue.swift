import Foundation

/// Values of transformable attributes as stores keep them.
///
/// The default form is a keyed archive, as Apple's secure transformer writes it. Only classes of
/// Foundation's property-list family come out of one.
enum TransformableValue {
    static func archive(_ value: Any, _ property: NSPropertyDescription) throws -> Data {
        let object: Any = value as AnyObject
        return try NSKeyedArchiver.archivedData(
            withRootObject: object,
            requiringSecureCoding: true
        )
    }

    /// nil for bytes that are no archive of an allowed class.
    static func unarchive(_ data: Data, _ property: NSPropertyDescription) -> Any? {
        let allowed: [AnyClass] = [
            NSString.self, NSNumber.self, NSArray.self, NSDictionary.self, NSDate.self,
            NSData.self, NSSet.self, NSURL.self, NSUUID.self, NSOrderedSet.self,
        ]
        do {
            return try NSKeyedUnarchiver.unarchivedObject(ofClasses: allowed, from: data)
        } catch {
            return nil
        }
    }
}
