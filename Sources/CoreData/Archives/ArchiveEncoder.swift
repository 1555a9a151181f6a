import Foundation

/// The coder that an object of a program's class puts its fields into.
///
/// > Threading: One thread, during one `encode(with:)`.
final class ArchiveEncoder: NSCoder {
    private let builder: KeyedArchiveBuilder
    private let depth: Int
    private(set) var fields: [String: PropertyListValue] = [:]
    private(set) var failure: UnarchivableValue?

    init(_ builder: KeyedArchiveBuilder, depth: Int) {
        self.builder = builder
        self.depth = depth
    }

    override var allowsKeyedCoding: Bool { true }
    override var requiresSecureCoding: Bool { true }

    override func encode(_ object: Any?, forKey key: String) {
        guard let object else {
            fields[key] = KeyedArchiveBuilder.null
            return
        }
        do throws(UnarchivableValue) {
            fields[key] = try builder.value(object, depth: depth + 1)
        } catch {
            // An `encode(with:)` can't throw: the failure is kept until it has returned.
            if failure == nil { failure = error }
        }
    }
    override func encodeConditionalObject(_ object: Any?, forKey key: String) {
        encode(object, forKey: key)
    }
    override func encode(_ value: Bool, forKey key: String) { fields[key] = .boolean(value) }
    override func encode(_ value: Int, forKey key: String) { fields[key] = .integer(Int64(value)) }
    override func encode(_ value: Int32, forKey key: String) {
        fields[key] = .integer(Int64(value))
    }
    override func encode(_ value: Int64, forKey key: String) { fields[key] = .integer(value) }
    override func encode(_ value: Float, forKey key: String) { fields[key] = .real(Double(value)) }
    override func encode(_ value: Double, forKey key: String) { fields[key] = .real(value) }
    override func encodeBytes(
        _ bytes: UnsafePointer<UInt8>?,
        length: Int,
        forKey key: String
    ) {
        fields[key] = .data(bytes.map { Data(bytes: $0, count: length) } ?? Data())
    }
}

extension KeyedArchiveBuilder {
    /// A reference to an object of a program's class.
    func other(_ value: Any, depth: Int) throws(UnarchivableValue) -> PropertyListValue {
        // A subclass inherits the conformance and may still refuse secure coding.
        guard let object = value as? any NSObject & NSSecureCoding,
            type(of: object).supportsSecureCoding
        else { throw UnarchivableValue(typeName: "\(type(of: value))") }
        if let place = place(of: object) { return .reference(place) }
        // The place is known before the fields are encoded. An object that refers back to this one
        // finds it there, where encoding it again would not end.
        let place = reserve(for: object)
        let encoder = ArchiveEncoder(self, depth: depth)
        object.encode(with: encoder)
        if let failure = encoder.failure { throw failure }
        let type: AnyClass = object.classForKeyedArchiver ?? Swift.type(of: object)
        let ancestors = sequence(first: type, next: { _getSuperclass($0) })
        fill(place, ancestors.map { ArchivedClassName.name(of: $0) }, encoder.fields)
        return .reference(place)
    }
}
