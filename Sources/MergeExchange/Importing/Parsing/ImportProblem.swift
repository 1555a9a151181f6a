import Foundation

/// Why a record, or the rest of a file, could not be imported.
public struct ImportProblem: LocalizedError, CustomStringConvertible, Hashable, Sendable {
    /// The file's name, as the importer was given it.
    public var file: String
    /// The line in which the record begins, from 1; 0 if the whole file is meant.
    public var line: Int
    /// The column or key that is wrong; nil if the whole record is meant.
    public var column: String?
    /// What is wrong, as a sentence.
    public var reason: String

    /// Makes a problem.
    public init(file: String, line: Int, column: String? = nil, reason: String) {
        self.file = file
        self.line = line
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
