import Foundation

/// A column of a dictionary fetch that is computed.
///
/// > Threading: Change it on one thread until it is used.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
    /// What is computed for each row or group.
    open var expression: NSExpression?
    /// The type of the result.
    open var expressionResultType: NSAttributeType = .undefinedAttributeType

    override var archivedFields: DescriptionFields {
        var fields = commonFields
        fields["expression"] = expression.map { DescriptionFields.archive($0) }
        fields["type"] = Int(expressionResultType.rawValue)
        return fields
    }

    override func take(_ fields: DescriptionFields) {
        takeCommon(fields)
        expression = fields.object("expression", of: NSExpression.self)
        expressionResultType =
            NSAttributeType(rawValue: UInt(clamping: fields.integer("type") ?? 0))
            ?? .undefinedAttributeType
    }
}

extension NSExpressionDescription {
    /// The type of the result, with short names.
    public var resultType: NSAttributeDescription.AttributeType {
        get { NSAttributeDescription.AttributeType(rawValue: expressionResultType) }
        set { expressionResultType = newValue.rawValue }
    }
}
