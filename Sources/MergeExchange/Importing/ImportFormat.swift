import Foundation
import MergeStack

/// How a file keeps its records.
public enum ImportFormat: Hashable, Sendable {
    /// Comma-separated values after RFC 4180, with a header row.
    case csv
    /// Values separated by tabs, else as `csv`.
    case tsv
    /// An array of objects, an object of objects by key, or objects one after the other.
    case json

    /// The format for the extension of a file's name: `csv`, `tsv`, or `json`, `jsonl`, `ndjson`.
    ///
    /// - Throws: `MergeStackError` with code `unreadableFile` for any other name.
    public init(fileName: String) throws {
        switch (fileName as NSString).pathExtension.lowercased() {
        case "csv": self = .csv
        case "tsv", "tab": self = .tsv
        case "json", "jsonl", "ndjson": self = .json
        default:
            throw MergeStackError(
                .unreadableFile,
                "The format of \(fileName) is unknown; the name must end in .csv, .tsv, .json, "
                    + ".jsonl or .ndjson."
            )
        }
    }

    /// The reader of the format.
    func reader(_ window: ByteWindow) -> any RecordReader {
        switch self {
        case .csv: CSVReader(window: window)
        case .tsv: CSVReader(window: window, delimiter: UInt8(ascii: "\t"))
        case .json: JSONReader(window: window)
        }
    }
}
