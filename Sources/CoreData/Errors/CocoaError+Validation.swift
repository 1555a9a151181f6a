import Foundation

/// A rule of the model that a property's value breaks.
///
/// The raw value is the Cocoa error code.
enum ValidationFailure: Int, Sendable {
    case notANumber = 1550
    case missingMandatoryProperty = 1570
    case relationshipLacksMinimumCount = 1580
    case relationshipExceedsMaximumCount = 1590
    case relationshipDeniedDelete = 1600
    case numberTooLarge = 1610
    case numberTooSmall = 1620
    case dateTooLate = 1630
    case dateTooSoon = 1640
    case invalidDate = 1650
    case stringTooLong = 1660
    case stringTooShort = 1670
    case stringPatternMatching = 1680
    case invalidURI = 1690

    /// What is wrong and the remedy, to follow `Entity.key`.
    private var sentenceEnd: String {
        switch self {
        case .notANumber: "is not a number, which no store keeps: set a number, or nil."
        case .missingMandatoryProperty:
            "is a required value: set it, or make it optional in the model."
        case .relationshipLacksMinimumCount:
            "has too few objects: add some, or lower its minimum count in the model."
        case .relationshipExceedsMaximumCount:
            "has too many objects: remove some, or raise its maximum count in the model."
        case .relationshipDeniedDelete:
            "still holds objects and its delete rule is Deny: delete or move them first."
        case .numberTooLarge: "is too large: set a value of at most the model's maximum."
        case .numberTooSmall: "is too small: set a value of at least the model's minimum."
        case .dateTooLate: "is too late: set a date up to the model's maximum."
        case .dateTooSoon: "is too soon: set a date from the model's minimum on."
        case .invalidDate: "is not a valid date: set a date whose time interval is a number."
        case .stringTooLong: "is too long: set a string within the model's maximum length."
        case .stringTooShort: "is too short: set a string of the model's minimum length."
        case .stringPatternMatching:
            "does not match the model's regular expression: set a string that matches it."
        case .invalidURI: "is not a valid URI: set an absolute URL."
        }
    }

    func sentence(entity: String, key: String) -> String { "\(entity).\(key) \(sentenceEnd)" }
}

extension CocoaError {
    /// An object breaks a rule of its model; `value` is nil if it is the missing one.
    ///
    /// `range` is what the attribute's type holds, if the value is not within that.
    static func validation(
        _ failure: ValidationFailure,
        entity: String,
        key: String,
        object: Any,
        value: Any?,
        range: ClosedRange<Int64>? = nil
    ) -> CocoaError {
        var info: [String: Any] = [
            NSValidationObjectErrorKey: object,
            NSValidationKeyErrorKey: key,
        ]
        info[NSValidationValueErrorKey] = PrintableValue.of(value)
        let sentence =
            range.map { range in
                "\(entity).\(key) is outside of the range of its type: set a whole number from "
                    + "\(range.lowerBound) to \(range.upperBound), or give the attribute a larger "
                    + "type in the model."
            } ?? failure.sentence(entity: entity, key: key)
        return make(failure.rawValue, sentence, info: info)
    }

    /// An object's value does not satisfy a validation predicate of its property.
    ///
    /// `warning` is the predicate's entry in `validationWarnings`: an error code, or the client's
    /// own sentence; nil if there is none.
    static func validation(
        predicate: NSPredicate,
        warning: Any?,
        entity: String,
        key: String,
        object: Any,
        value: Any?
    ) -> CocoaError {
        var info: [String: Any] = [
            NSValidationObjectErrorKey: object,
            NSValidationKeyErrorKey: key,
            NSValidationPredicateErrorKey: predicate,
        ]
        info[NSValidationValueErrorKey] = PrintableValue.of(value)
        let code = (warning as? Int) ?? (warning as? NSNumber)?.intValue
        let sentence =
            ValidationFailure(rawValue: code ?? 0)?.sentence(entity: entity, key: key)
            ?? warning as? String
            ?? "\(entity).\(key) is not valid: set a value that satisfies the validation predicates."
        return make(code ?? NSManagedObjectValidationError, sentence, info: info)
    }

    /// A uniqueness constraint of the entity is broken among the objects of one context.
    static func constraintValidation(
        entity: String,
        keys: [String],
        objects: [AnyObject]
    ) -> CocoaError {
        make(
            NSManagedObjectConstraintValidationError,
            "\(entity) objects share the same \(keys.joined(separator: ", ")), which must be unique: "
                + "give each its own, or set a merge policy that resolves constraint conflicts.",
            info: [NSAffectedObjectsErrorKey: objects]
        )
    }

    /// One error for all of a list: the only one as it is, several as `NSDetailedErrors`.
    ///
    /// Errors that are lists themselves are opened, so that the result never nests.
    ///
    /// - Returns: nil for an empty list.
    static func combining(_ errors: [any Error]) -> (any Error)? {
        let flat = errors.flatMap(flattened)
        // A single error stays the one that was thrown, of whatever type: in `flat` it is an
        // `NSError`.
        guard flat.count > 1 else { return errors.count == 1 ? errors[0] : flat.first }
        return make(
            NSValidationMultipleErrorsError,
            "Multiple validation errors occurred: \(flat.count) of them, each under "
                + "NSDetailedErrors, must be corrected before the objects can be saved.",
            info: [NSDetailedErrorsKey: flat]
        )
    }

    private static func flattened(_ error: any Error) -> [NSError] {
        let error = error as NSError
        // A client's error whose list is empty must not vanish.
        guard error.domain == NSCocoaErrorDomain, error.code == NSValidationMultipleErrorsError,
            let details = error.userInfo[NSDetailedErrorsKey] as? [any Error], !details.isEmpty
        else { return [error] }
        return details.flatMap(flattened)
    }
}
