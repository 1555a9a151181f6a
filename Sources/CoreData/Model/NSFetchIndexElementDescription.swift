import Foundation

/// How an element of an index is kept.
public enum NSFetchIndexElementType: UInt, Sendable {
    /// Sorted.
    case binary = 0
    /// As a range of numbers.
    case rTree = 1
}

/// One property of an index.
///
/// > Threading: Change it on one thread until its model is in use.
open class NSFetchIndexElementDescription: NSObject, NSCopying, NSSecureCoding,
    @unchecked Sendable
{
    // @unchecked: frozen before it is shared.

    /// What is indexed.
    ///
    /// Held, since nothing else holds an expression that is indexed; a property refers to its
    /// entity weakly, so this closes no circle.
    open internal(set) var property: NSPropertyDescription?
    private let givenName: String
    /// The name of what is indexed.
    open var propertyName: String? { property?.name ?? givenName }
    /// How it is kept.
    open var collationType: NSFetchIndexElementType {
        willSet { indexDescription?.checkMutable() }
    }
    /// Whether small values come first.
    ///
    /// True by default.
    open var isAscending = true { willSet { indexDescription?.checkMutable() } }
    /// The index that this is an element of.
    open internal(set) weak var indexDescription: NSFetchIndexDescription?

    /// Makes an element.
    public init(property: NSPropertyDescription, collationType: NSFetchIndexElementType) {
        self.property = property
        givenName = property.name
        self.collationType = collationType
        super.init()
    }

    private init(copying other: NSFetchIndexElementDescription, property: NSPropertyDescription?) {
        self.property = property ?? other.property
        givenName = other.propertyName ?? other.givenName
        collationType = other.collationType
        super.init()
        isAscending = other.isAscending
    }

    /// True: an archive holds plain values.
    open class var supportsSecureCoding: Bool { true }

    /// Reads an element from an archive; nil, with the coder's error set, if it holds something
    /// else.
    ///
    /// It knows its property by name only.
    public required init?(coder: NSCoder) {
        guard let fields = DescriptionFields.read(from: coder) else { return nil }
        property = Self.expression(in: fields)
        givenName = fields.text("name") ?? ""
        collationType = Self.collation(in: fields)
        super.init()
        isAscending = !fields.isSet("isDescending")
    }

    init(_ fields: DescriptionFields, property: NSPropertyDescription?) {
        self.property = property ?? Self.expression(in: fields)
        givenName = fields.text("name") ?? ""
        collationType = Self.collation(in: fields)
        super.init()
        isAscending = !fields.isSet("isDescending")
    }

    private static func collation(in fields: DescriptionFields) -> NSFetchIndexElementType {
        NSFetchIndexElementType(rawValue: UInt(clamping: fields.integer("collation") ?? 0))
            ?? .binary
    }

    /// Writes the element to an archive; its property by name.
    open func encode(with coder: NSCoder) {
        archivedFields.write(of: "the index element \"\(propertyName ?? "")\"", to: coder)
    }

    /// A copy in no index.
    open func copy(with zone: NSZone? = nil) -> Any { copy(property: nil) }

    func copy(property: NSPropertyDescription?) -> NSFetchIndexElementDescription {
        NSFetchIndexElementDescription(copying: self, property: property)
    }
}
