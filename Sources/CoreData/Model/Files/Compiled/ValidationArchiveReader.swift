import Foundation

/// Reads the validation predicates of an archived property.
///
/// Those that say a limit as model sources have it become the attribute's bounds, which are
/// checked without predicates; the rest stays as it is.
struct ValidationArchiveReader {
    let archive: KeyedArchive
    let unrecognized: UnrecognizedParts

    func read(
        _ object: ArchivedObject,
        into property: NSPropertyDescription,
        at place: String
    ) throws(ArchiveError) {
        guard let predicates = try object.object("NSValidationPredicates")?.elements() else {
            return
        }
        let warnings = try object.object("NSValidationWarnings")?.elements() ?? []
        let reader = PredicateArchiveReader(archive)
        var bounds = AttributeBounds()
        var given: [(predicate: NSPredicate, warning: Any)] = []
        for (index, element) in predicates.enumerated() {
            guard case .object(let element) = element else {
                throw object.malformed("NSValidationPredicates")
            }
            let predicate: NSPredicate
            do throws(ArchiveError) {
                predicate = try reader.predicate(element)
            } catch {
                unrecognized.note(
                    "a validation predicate cannot be read, since \(error.reason)",
                    at: place
                )
                continue
            }
            let warning = try warning(index < warnings.count ? warnings[index] : .null)
            if property is NSAttributeDescription,
                bounds.takeIn(predicate, warning: warning)
            {
                continue
            }
            given.append((predicate, warning))
        }
        (property as? NSAttributeDescription)?.bounds = bounds
        // Not by `setValidationPredicates`, which would drop the bounds again.
        property.setGivenPredicates(given.map(\.predicate), warnings: given.map(\.warning))
    }

    /// A text, or the number of an error.
    private func warning(_ value: ArchivedValue) throws(ArchiveError) -> Any {
        switch value {
        case .object(let object): try object.stringContent() ?? ""
        case .plain(.string(let text)): text
        case .plain(let number): NSNumber(value: number.integer ?? 0)
        default: ""
        }
    }
}

extension AttributeBounds {
    /// Makes a limit of a predicate such as `SELF >= 3`, if it is one with the error that goes with
    /// it.
    ///
    /// - Returns: Whether it is.
    fileprivate mutating func takeIn(_ predicate: NSPredicate, warning: Any) -> Bool {
        // With another error than the limit's own it stays a predicate: bounds could not report
        // what the model says.
        guard let code = (warning as? NSNumber)?.intValue,
            let failure = ValidationFailure(rawValue: code),
            let comparison = predicate as? NSComparisonPredicate,
            comparison.comparisonPredicateModifier == .direct, comparison.options == [],
            case .constant(let limit?) = comparison.rightExpression.node
        else { return false }
        switch comparison.leftExpression.node {
        case .evaluatedObject:
            return takeIn(limit, comparison.predicateOperatorType, failure)
        case .keyPath(nil, "length"):
            return takeIn(length: limit, comparison.predicateOperatorType, failure)
        default:
            return false
        }
    }

    private mutating func takeIn(
        _ limit: Any,
        _ type: NSComparisonPredicate.Operator,
        _ failure: ValidationFailure
    ) -> Bool {
        // A second limit of one kind stays a predicate: both count.
        switch (type, failure) {
        case (.greaterThanOrEqualTo, .numberTooSmall) where minimum == nil:
            minimum = Self.decimal(limit)
            return minimum != nil
        case (.lessThanOrEqualTo, .numberTooLarge) where maximum == nil:
            maximum = Self.decimal(limit)
            return maximum != nil
        case (.greaterThanOrEqualTo, .dateTooSoon) where earliest == nil:
            earliest = (limit as? Date)?.timeIntervalSinceReferenceDate
            return earliest != nil
        case (.lessThanOrEqualTo, .dateTooLate) where latest == nil:
            latest = (limit as? Date)?.timeIntervalSinceReferenceDate
            return latest != nil
        case (.matches, .stringPatternMatching) where pattern == nil:
            guard let source = limit as? String else { return false }
            do {
                pattern = try Pattern(source)
            } catch {
                return false  // It stays a predicate, which reports it when it is evaluated.
            }
            return true
        default:
            return false
        }
    }

    private mutating func takeIn(
        length limit: Any,
        _ type: NSComparisonPredicate.Operator,
        _ failure: ValidationFailure
    ) -> Bool {
        guard let length = (limit as? NSNumber)?.intValue, length >= 0 else { return false }
        switch (type, failure) {
        case (.greaterThanOrEqualTo, .stringTooShort) where minimumLength == nil:
            minimumLength = length
        case (.lessThanOrEqualTo, .stringTooLong) where maximumLength == nil:
            maximumLength = length
        default:
            return false
        }
        return true
    }

    /// By its shortest decimal form, as a model source would have it.
    private static func decimal(_ limit: Any) -> Decimal? {
        if let decimal = limit as? NSDecimalNumber { return decimal.decimalValue }
        guard let number = limit as? NSNumber, number.doubleValue.isFinite else { return nil }
        return Decimal(string: "\(number)", locale: Locale(identifier: "en_US_POSIX"))
    }
}
