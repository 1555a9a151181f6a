import Foundation

/// Why a record, or the rest of a file, could not be imported.
public struct ImportProblem: LocalizedError, CustomStringConvertible, Hashable, Sendable {
    /// The file's name, as the importer was given it.
    public var file: String
    /// The line in which the record begins, from 1; 0 if the whole file is meant.
    public var line: Int
    /// The record's place in the file, from 1; nil if the whole file is meant.
    public var record: Int?
    /// The record's key: that of its object, or the one under which a JSON file keeps it.
    public var key: String?
    /// The column or key that is wrong; nil if the whole record is meant.
    public var column: String?
    /// What is wrong, as a sentence.
    public var reason: String
    /// The entity of an object that the record names, and that is not there.
    public var missingEntity: String?
    /// Whether the column has a list or an object, where the model has one plain value.
    public var isNestedValue: Bool

    /// Makes a problem.
    public init(
        file: String,
        line: Int,
        record: Int? = nil,
        key: String? = nil,
        column: String? = nil,
        reason: String,
        missingEntity: String? = nil,
        isNestedValue: Bool = false
    ) {
        self.file = file
        self.line = line
        self.record = record
        self.key = key
        self.missingEntity = missingEntity
        self.isNestedValue = isNestedValue
        self.column = column
        self.reason = reason
    }

    /// The problem in the form `file:line:column: reason`.
    public var description: String {
        var place = file
        if line > 0 { place += ":\(line)" }
        if let column { place += ":\(column)" }
        return "\(place): \(reason)"
    }
    /// The same as `description`.
    public var errorDescription: String? { description }
}
