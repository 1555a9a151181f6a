import Foundation

/// A column of a dictionary fetch that is computed.
///
/// > Threading: Change it on one thread until it is used.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
    /// What is computed for each row or group.
    open var expression: NSExpression?
    /// The type of the result.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType
}
