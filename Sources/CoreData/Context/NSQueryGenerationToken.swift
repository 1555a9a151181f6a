import Foundation

/// A state of the stores to which a context's reads can be pinned, where stores support it.
///
/// Stores here do not: as Apple documents it for such stores, a context that asks for a generation
/// goes on reading what was committed last. Code that pins its contexts builds and runs; what it
/// shows may be newer than what it pinned.
///
/// > Threading: Immutable; any thread.
open class NSQueryGenerationToken: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    // @unchecked: without state.

    /// What was committed last when the context reads for the first time.
    open class var current: NSQueryGenerationToken { only }
    private static let only = NSQueryGenerationToken()

    override init() { super.init() }

    /// `true`.
    public static var supportsSecureCoding: Bool { true }

    /// Makes a token that stands for `current`.
    public required init?(coder: NSCoder) { super.init() }

    /// Writes nothing: there is one token only.
    open func encode(with coder: NSCoder) {}

    /// The token itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    override open func isEqual(_ object: Any?) -> Bool { object is NSQueryGenerationToken }

    override open var hash: Int { 1 }
}

/// Key of the generation in the did-save notifications of a context that was asked to read one.
public let NSManagedObjectContextQueryGenerationKey = "NSManagedObjectContextQueryGenerationKey"
