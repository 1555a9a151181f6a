import Foundation

/// Rows of a save have values that are in use and must be unique. Nothing was written.
struct UniquenessViolations: Error {
    struct Violation: @unchecked Sendable {
        // @unchecked: rows are immutable.

        /// The row that could not be written.
        let row: Row
        /// The entity that declares the constraint.
        let entity: EntityLayout
        /// The names of the attributes whose values must be unique together.
        let constraint: [String]
        /// The row that has the values: in the store, or another one of the same save.
        let other: Row?
    }
    var violations: [Violation]
}

extension UniquenessViolations: CustomNSError, LocalizedError {
    static var errorDomain: String { NSCocoaErrorDomain }
    var errorCode: Int { NSManagedObjectConstraintMergeError }
    var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: sentence] }
    var errorDescription: String? { sentence }

    /// Names entities and attributes, never values.
    private var sentence: String {
        let names = Set(
            violations.map { "\($0.entity.name) (\($0.constraint.joined(separator: ", ")))" }
        )
        return "Values that must be unique are in use: \(names.sorted().joined(separator: "; ")). "
            + "Change them and save again, or set a merge policy that resolves it."
    }
}
