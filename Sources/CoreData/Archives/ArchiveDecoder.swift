import Foundation

/// The coder that an object of an allowed class takes its fields from.
///
/// Foundation's unarchiver crashes on crafted archives; this one gives what has been checked, and
/// nil with an error for everything else. Fields of other objects are made by the same rules.
///
/// > Threading: One thread, during one `init(coder:)`.
final class ArchiveDecoder: NSCoder {
    private let object: ArchivedObject
    private let reader: ArchivedValueReader
    /// What fields may hold if `init(coder:)` does not say.
    private let classes: [AnyClass]
    private(set) var failure: ArchiveError?

    init(_ object: ArchivedObject, reader: ArchivedValueReader, classes: [AnyClass]) {
        self.object = object
        self.reader = reader
        self.classes = classes
    }

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }
    override var allowedClasses: [AnyClass]? { classes }
    override var decodingFailurePolicy: NSCoder.DecodingFailurePolicy { .setErrorAndReturn }
    override var error: (any Error)? { failure }

    override func failWithError(_ error: any Error) {
        fail(error as? ArchiveError ?? ArchiveError(reason: "\(error.localizedDescription)"))
    }

    /// The first failure counts.
    private func fail(_ error: ArchiveError) { if failure == nil { failure = error } }

    override func containsValue(forKey key: String) -> Bool { object.fields[key] != nil }

    // MARK: Objects

    override func decodeObject(forKey key: String) -> Any? {
        // This form names no class. The rule of the whole archive holds then, so that nothing comes
        // out that the caller has not allowed.
        decodeObject(of: classes, forKey: key)
    }

    override func decodeObject<Decoded: NSObject & NSCoding>(
        of cls: Decoded.Type,
        forKey key: String
    ) -> Decoded? {
        decodeObject(of: [cls], forKey: key) as? Decoded
    }

    override func decodeObject(of classes: [AnyClass]?, forKey key: String) -> Any? {
        value(nil) { () throws(ArchiveError) in
            try reader.object(object.value(key), allowing: classes ?? self.classes)
        }
    }

    override func decodePropertyList(forKey key: String) -> Any? {
        decodeObject(of: FoundationArchive.propertyListClasses, forKey: key)
    }

    // MARK: Plain values

    override func decodeBool(forKey key: String) -> Bool {
        value(false) { () throws(ArchiveError) in try object.boolean(key) ?? false }
    }
    override func decodeInteger(forKey key: String) -> Int {
        value(0) { () throws(ArchiveError) in try object.integer(key) ?? 0 }
    }
    override func decodeInt64(forKey key: String) -> Int64 { Int64(decodeInteger(forKey: key)) }
    override func decodeInt32(forKey key: String) -> Int32 {
        let integer = decodeInteger(forKey: key)
        // A plain conversion would stop the process for a crafted number.
        guard let small = Int32(exactly: integer) else {
            fail(object.malformed(key))
            return 0
        }
        return small
    }
    override func decodeDouble(forKey key: String) -> Double {
        // A missing field counts as zero, while `real` refuses what is no number.
        guard containsValue(forKey: key) else { return 0 }
        return value(0) { () throws(ArchiveError) in try FoundationArchive.real(object, key) }
    }
    override func decodeFloat(forKey key: String) -> Float { Float(decodeDouble(forKey: key)) }

    override func withDecodedUnsafeBufferPointer<Result>(
        forKey key: String,
        body: (UnsafeBufferPointer<UInt8>?) throws -> Result
    ) rethrows -> Result {
        guard containsValue(forKey: key) else { return try body(nil) }
        let bytes = value([UInt8]()) { () throws(ArchiveError) in
            [UInt8](try FoundationArchive.data(object, key))
        }
        return try bytes.withUnsafeBufferPointer { try body($0) }
    }

    private func value<Value>(
        _ fallback: Value,
        _ read: () throws(ArchiveError) -> Value
    ) -> Value {
        // An `init(coder:)` can't throw, so the object goes on with the fallback. Whoever made this
        // decoder looks at `failure` afterwards and throws the object away.
        do throws(ArchiveError) {
            return try read()
        } catch {
            fail(error)
            return fallback
        }
    }
}
