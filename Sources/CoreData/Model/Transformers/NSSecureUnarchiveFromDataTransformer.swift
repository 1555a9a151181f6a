import Foundation

/// Makes objects of keyed archives, and archives of objects: the default of transformable
/// attributes.
///
/// Subclass it to allow classes of your own:
///
///     final class ColorTransformer: NSSecureUnarchiveFromDataTransformer {
///         override class var allowedTopLevelClasses: [AnyClass] { [Color.self] }
///     }
open class NSSecureUnarchiveFromDataTransformer: ValueTransformer {
    /// The classes that may come out of an archive: those of property lists, unless overridden.
    open class var allowedTopLevelClasses: [AnyClass] { FoundationArchive.propertyListClasses }

    /// `NSObject`: what comes out is of one of the allowed classes.
    open override class func transformedValueClass() -> AnyClass { NSObject.self }
    /// True: objects can be archived again.
    open override class func allowsReverseTransformation() -> Bool { true }

    /// The object of an archive; nil for data that is no archive of an allowed class.
    open override func transformedValue(_ value: Any?) -> Any? {
        guard let data = value as? Data else { return nil }
        do throws(ArchiveError) {
            return try TransformableValue.value(of: data, allowing: Self.allowedTopLevelClasses)
        } catch {
            // Nil is how transformers say that a value turns into nothing.
            return nil
        }
    }

    /// The archive of an object; nil for one that can't be archived.
    open override func reverseTransformedValue(_ value: Any?) -> Any? {
        guard let value else { return nil }
        do {
            return try TransformableValue.archive(value)
        } catch {
            return nil
        }
    }
}
