import Foundation

/// What a description of a model is in an archive: plain values by name, the same for Foundation's
/// archiver and for any other coder.
///
/// Predicates, expressions and sort descriptors are archives of their own; a part that belongs to
/// its whole is a dictionary in it; a part elsewhere in the model goes by its name.
struct DescriptionFields {
    private static let key = "NSDescriptionFields"

    private(set) var values: [String: Any] = [:]

    init() {}

    init(_ values: Any?) {
        guard let dictionary = values as? NSDictionary else { return }
        for (key, value) in dictionary {
            if let key = Self.native(key) as? String { self.values[key] = value }
        }
    }

    /// Fields that have none but their default are left out.
    subscript(key: String) -> Any? {
        get { values[key] }
        set { values[key] = newValue }
    }

    // MARK: Coding

    /// - Parameter what: Who writes, for the message: values that can't be archived, such as a
    ///   client's object in the user info, are a mistake of the programmer.
    func write(of what: String, to coder: NSCoder) {
        do {
            let data = try TransformableValue.archive(values)
            coder.encode(data as NSData, forKey: Self.key)
        } catch {
            fatalError("Can't encode \(what): \(error.localizedDescription)")
        }
    }

    /// The fields in an archive; nil, with the coder's error set, if it is malformed.
    static func read(from coder: NSCoder) -> DescriptionFields? {
        guard let data = coder.decodeObject(of: NSData.self, forKey: key) else {
            coder.failWithError(corrupt("its fields are missing"))
            return nil
        }
        do throws(ArchiveError) {
            let bytes = Data(referencing: data)
            let value = try TransformableValue.value(
                of: bytes,
                allowing: FoundationArchive.propertyListClasses
            )
            return DescriptionFields(value)
        } catch {
            coder.failWithError(corrupt(error.reason))
            return nil
        }
    }

    static func corrupt(_ reason: String) -> CocoaError {
        CocoaError(
            .coderReadCorrupt,
            userInfo: [
                NSLocalizedDescriptionKey:
                    "The archive of a part of a model can't be read: \(reason)."
            ]
        )
    }

    // MARK: Values

    func text(_ key: String) -> String? { values[key].flatMap(Self.native) as? String }
    func integer(_ key: String) -> Int? { (values[key] as? NSNumber)?.intValue }
    func isSet(_ key: String) -> Bool { (values[key] as? NSNumber)?.boolValue ?? false }
    func decimal(_ key: String) -> Decimal? { (values[key] as? NSNumber)?.decimalValue }

    func list(_ key: String) -> [Any] { (values[key] as? NSArray).map { $0.map { $0 } } ?? [] }
    func texts(_ key: String) -> [String] { list(key).compactMap { Self.native($0) as? String } }
    func textLists(_ key: String) -> [[String]] {
        list(key).map { list in
            (list as? NSArray)?.compactMap { Self.native($0) as? String } ?? []
        }
    }
    func parts(_ key: String) -> [DescriptionFields] { list(key).map { DescriptionFields($0) } }

    /// A dictionary of a client's.
    func dictionary(_ key: String) -> [AnyHashable: Any]? {
        guard let dictionary = values[key] as? NSDictionary else { return nil }
        var result: [AnyHashable: Any] = [:]
        for (key, value) in dictionary {
            if let key = Self.native(key) as? AnyHashable { result[key] = Self.native(value) }
        }
        return result
    }

    /// A value as Swift code would give it.
    static func native(_ value: Any) -> Any {
        switch value {
        case let text as NSString: String(describing: text)
        case let data as NSData: Data(referencing: data)
        case let date as NSDate:
            Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate)
        default: value
        }
    }

    // MARK: Objects that archive themselves

    /// - Precondition: The object can be archived: it holds no block.
    static func archive(_ object: some NSObject & NSCoding) -> Data {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(object, forKey: NSKeyedArchiveRootObjectKey)
        archiver.finishEncoding()
        return archiver.encodedData
    }

    func object<Object: NSObject & NSCoding>(_ key: String, of type: Object.Type) -> Object? {
        values[key].flatMap { Self.object($0, of: type) }
    }

    func objects<Object: NSObject & NSCoding>(_ key: String, of type: Object.Type) -> [Object] {
        list(key).compactMap { Self.object($0, of: type) }
    }

    private static func object<Object: NSObject & NSCoding>(
        _ value: Any,
        of type: Object.Type
    ) -> Object? {
        guard let data = native(value) as? Data else { return nil }
        do {
            return try NSKeyedUnarchiver.unarchivedObject(ofClass: type, from: data)
        } catch {
            // The whole is read without what can't be: as a model file is.
            return nil
        }
    }
}
