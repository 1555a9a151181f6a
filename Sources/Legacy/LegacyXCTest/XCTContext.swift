import Foundation
import XCTest

/// A named part of a test.
public protocol XCTActivity: AnyObject {
    /// The part's name.
    var name: String { get }
    /// Attaches something to the part. On Linux nobody shows it.
    func add(_ attachment: XCTAttachment)
}

/// Runs named parts of tests.
open class XCTContext {
    private final class Activity: XCTActivity {
        let name: String
        init(_ name: String) { self.name = name }
        func add(_ attachment: XCTAttachment) {}
    }

    /// Runs a block. On Linux nobody shows its name.
    ///
    /// - Throws: What the block throws.
    public class func runActivity<Result>(
        named name: String,
        block: (any XCTActivity) throws -> Result
    ) rethrows -> Result {
        try block(Activity(name))
    }
}

/// Something for a test's report. On Linux there is no such report.
open class XCTAttachment: NSObject {
    /// When an attachment is kept.
    public enum Lifetime: Int, Sendable {
        case keepAlways = 0
        case deleteOnSuccess = 1
    }

    /// When it is kept.
    open var lifetime = Lifetime.deleteOnSuccess
    /// Its name.
    open var name: String?
    /// What else there is to know.
    open var userInfo: [AnyHashable: Any]?

    /// Makes an attachment of data.
    public init(data payload: Data) {}
    /// Makes an attachment of a text.
    public init(string: String) {}
}

extension XCTestCase {
    /// Attaches something to the test. On Linux nobody shows it.
    public func add(_ attachment: XCTAttachment) {}
}
