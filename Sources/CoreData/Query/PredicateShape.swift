import Foundation

/// What a predicate is, whoever made it.
enum PredicateShape {
    case comparison(NSComparisonPredicate)
    case and([NSPredicate])
    case or([NSPredicate])
    case not(NSPredicate)
    /// `NSPredicate(value:)`.
    case constant(Bool)
    /// A block, or a client's subclass: it can only be asked.
    case opaque(NSPredicate)

    init(_ predicate: NSPredicate) {
        if let comparison = predicate as? NSComparisonPredicate {
            self = .comparison(comparison)
        } else if let compound = predicate as? NSCompoundPredicate {
            let parts = compound.subpredicateList
            switch compound.compoundPredicateType {
            case .and: self = .and(parts)
            case .or: self = .or(parts)
            // `NOT` of nothing can't be written; Foundation evaluates it as false.
            case .not: self = parts.first.map { .not($0) } ?? .constant(false)
            @unknown default: self = .opaque(predicate)
            }
        } else if type(of: predicate) == NSPredicate.self {
            // Foundation's own class hides its kind, but not the string that it prints.
            switch predicate.foundationFormat {
            case "TRUEPREDICATE": self = .constant(true)
            case "FALSEPREDICATE": self = .constant(false)
            default: self = .opaque(predicate)
            }
        } else {
            self = .opaque(predicate)
        }
    }
}

private protocol FormatPrinting { var predicateFormat: String { get } }
extension NSPredicate: FormatPrinting {}

extension NSPredicate {
    /// Foundation's `predicateFormat`, which is deprecated to ask for directly.
    fileprivate var foundationFormat: String { (self as any FormatPrinting).predicateFormat }
}
