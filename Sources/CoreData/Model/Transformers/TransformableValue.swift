import Foundation

/// Values of transformable attributes as stores keep them.
///
/// The default form is a keyed archive, as Apple's secure transformer writes it. Only classes of
/// Foundation come out of one. An attribute that names a transformer has what that makes; if no
/// transformer of the name is registered, the default serves, as on Apple's platforms.
enum TransformableValue {
    /// What is read of one value; larger ones belong into binary attributes.
    private static let maximumByteCount = 256 << 20

    /// What comes out where no transformer says: the classes of Foundation that are archived often
    /// and have no way to do harm.
    static let safeClasses =
        FoundationArchive.propertyListClasses + [
            NSAttributedString.self, NSIndexSet.self, NSIndexPath.self, NSTimeZone.self,
            NSLocale.self,
        ]

    // MARK: Archives

    /// The archive of a value; the same value gives the same bytes.
    ///
    /// - Throws: 134060, if the value or a part of it can't be archived securely.
    static func archive(_ value: Any) throws -> Data {
        let builder = KeyedArchiveBuilder()
        do throws(UnarchivableValue) {
            return builder.data(root: try builder.value(value))
        } catch {
            throw CocoaError.coreData(
                "A value of type \(error.typeName) can't be archived: set a value of Foundation's "
                    + "classes or of one with NSSecureCoding, or give the attribute a transformer."
            )
        }
    }

    /// The value of an archive of allowed classes.
    static func value(of archive: Data, allowing classes: [AnyClass]) throws(ArchiveError) -> Any? {
        try ArchivedValueReader.read(
            archive,
            allowing: classes,
            maximumByteCount: maximumByteCount
        )
    }

    // MARK: Attributes

    /// The bytes of an attribute's value.
    ///
    /// - Throws: A sentence that names the attribute, if its transformer makes no data of the value.
    static func archive(_ value: Any, _ property: NSPropertyDescription) throws -> Data {
        if let composite = property as? NSCompositeAttributeDescription {
            let layout = CompositeLayout(composite)
            return layout.bytes(try layout.values(of: value, composite.name))
        }
        guard let transformer = transformer(property) else { return try archive(value) }
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

    /// The value of an attribute's bytes; nil, and a report, for bytes that can't be read.
    static func unarchive(
        _ data: Data,
        _ property: NSPropertyDescription,
        of object: Any? = nil
    ) -> Any? {
        if let composite = property as? NSCompositeAttributeDescription {
            let layout = CompositeLayout(composite)
            return layout.dictionary(of: layout.values(data))
        }
        do throws(ArchiveError) {
            return try read(data, property)
        } catch {
            UnreadableValue.report(error.reason, property, of: object)
            return nil
        }
    }

    private static func read(
        _ data: Data,
        _ property: NSPropertyDescription
    ) throws(ArchiveError) -> Any? {
        guard let transformer = transformer(property) else {
            return try value(of: data, allowing: safeClasses)
        }
        guard let secure = transformer as? NSSecureUnarchiveFromDataTransformer else {
            return transformer.reverseTransformedValue(data)
        }
        if let value = secure.transformedValue(data) { return value }
        // For the reason; a subclass may have had another one.
        _ = try value(of: data, allowing: type(of: secure).allowedTopLevelClasses)
        throw ArchiveError(reason: "its transformer made nothing of it")
    }

    private static func transformer(_ property: NSPropertyDescription) -> ValueTransformer? {
        guard let name = (property as? NSAttributeDescription)?.valueTransformerName else {
            return nil
        }
        return ValueTransformer.named(NSValueTransformerName(name))
    }
}
