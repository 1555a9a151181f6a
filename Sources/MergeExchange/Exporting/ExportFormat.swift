import Foundation
import MergeStack

/// How an export writes its rows; an ``Importer`` reads all of them.
public enum ExportFormat: Hashable, Sendable, CaseIterable {
    /// Comma-separated values after RFC 4180, with a header row and CRLF line ends.
    case csv
    /// Values separated by tabs, else as `csv`.
    case tsv
    /// An array of objects, one in each line.
    case json
    /// An object in each line.
    case jsonLines

    /// The format for the extension of a file's name: `csv`, `tsv`, `json`, or `jsonl`, `ndjson`.
    ///
    /// - Throws: `MergeStackError` with code `unwritableFile` for any other name.
    public init(fileName: String) throws {
        switch (fileName as NSString).pathExtension.lowercased() {
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        case "json": self = .json
        case "jsonl", "ndjson": self = .jsonLines
        default:
            throw MergeStackError(
                .unwritableFile,
                "The format of \(fileName) is unknown; the name must end in .csv, .tsv, .json, "
                    + ".jsonl or .ndjson."
            )
        }
    }

    /// What separates the fields of a line; nil where they have names.
    var delimiter: Character? {
        switch self {
        case .csv: ","
        case .tsv: "\t"
        case .json, .jsonLines: nil
        }
    }
}
