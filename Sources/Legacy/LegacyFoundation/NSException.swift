import Foundation

extension NSExceptionName {
    /// The name of an exception that has none of its own.
    public static let genericException = NSExceptionName("NSGenericException")
    /// An index is out of bounds.
    public static let rangeException = NSExceptionName("NSRangeException")
    /// An argument is not what it has to be.
    public static let invalidArgumentException = NSExceptionName("NSInvalidArgumentException")
    /// Something is not as it has to be.
    public static let internalInconsistencyException = NSExceptionName(
        "NSInternalInconsistencyException"
    )
    /// An object was not in the state for what it was asked to do.
    public static let objectNotAvailableException = NSExceptionName("NSObjectNotAvailableException")
}

/// A reason to stop the program. Swift can't catch it on any platform.
open class NSException: NSObject, @unchecked Sendable {
    // @unchecked: never changes once it is made.

    /// The exception's name.
    public let name: NSExceptionName
    /// What has happened.
    public let reason: String?
    /// What else there is to know.
    public let userInfo: [AnyHashable: Any]?

    /// Makes an exception, which does nothing yet.
    public init(
        name aName: NSExceptionName,
        reason aReason: String?,
        userInfo aUserInfo: [AnyHashable: Any]? = nil
    ) {
        name = aName
        reason = aReason
        userInfo = aUserInfo
    }

    /// Stops the program with name and reason.
    open func raise() {
        // Nothing in Swift catches an exception, so each one that is raised is uncaught.
        fatalError(
            "*** Terminating app due to uncaught exception '\(name.rawValue)', reason: "
                + "'\(reason ?? "")'"
        )
    }

    /// Stops the program with name and reason.
    ///
    /// - Parameters:
    ///   - name: The exception's name.
    ///   - format: The reason, with places for the arguments.
    ///   - argList: The arguments.
    open class func raise(
        _ name: NSExceptionName,
        format: String,
        arguments argList: CVaListPointer
    ) {
        let reason = NSString(format: format, arguments: argList) as String
        NSException(name: name, reason: reason).raise()
    }
}
