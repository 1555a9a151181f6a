import XCTest

extension XCTestCase {
    /// The name of the class with its module, as every class of Objective-C has it.
    public class func description() -> String { String(reflecting: self) }
}
