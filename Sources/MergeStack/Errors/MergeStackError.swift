import Foundation

/// An error of MergeStack itself; errors of Core Data pass through unchanged.
public struct MergeStackError: LocalizedError, CustomStringConvertible, Sendable {
    /// The kind of error. Branch on this, never on the message.
    public var code: Code
    /// What went wrong and what to do about it, for a log.
    public var message: String
    /// The error that led to this one, unchanged.
    public var underlyingError: (any Error)?

    /// Makes an error.
    public init(_ code: Code, _ message: String, underlyingError: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlyingError = underlyingError
    }

    /// The message.
    public var description: String { message }
    /// The message.
    public var errorDescription: String? { message }

    /// A kind of error; more may come in a minor release, so a `switch` needs a `default`.
    public struct Code: Hashable, Sendable {
        private let name: String

        /// Makes a code, under a name that no other module of the package gives to one.
        package init(_ name: String) { self.name = name }

        /// The stack or merger was torn down.
        public static let invalidated = Code("invalidated")
        /// An object has no permanent ID or no context, or its row is not in the store.
        public static let objectUnavailable = Code("objectUnavailable")
        /// An object ID identifies an object of another class or entity.
        public static let wrongEntity = Code("wrongEntity")
        /// A store was made with another model, and no mapping from that can be inferred.
        public static let noMapping = Code("noMapping")
        /// A migration would drop every entity of a store, or an entity that has objects.
        public static let entitiesDropped = Code("entitiesDropped")
        /// A prepared store could not be installed.
        public static let seedNotInstalled = Code("seedNotInstalled")
        /// The result of a batch request, which was to be merged, holds no object IDs.
        public static let noObjectIDs = Code("noObjectIDs")
    }
}
