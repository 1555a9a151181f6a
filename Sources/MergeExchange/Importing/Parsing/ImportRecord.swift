import Foundation

/// The columns of a file, shared by all its records.
final class ImportColumns: Sendable {
    let names: [String]
    let indexByName: [String: Int]

    /// - Throws: The name that stands there twice.
    init(names: [String]) throws(DuplicateColumn) {
        var indexByName: [String: Int] = [:]
        for (index, name) in names.enumerated() {
            if indexByName.updateValue(index, forKey: name) != nil {
                throw DuplicateColumn(name: name)
            }
        }
        self.names = names
        self.indexByName = indexByName
    }

    struct DuplicateColumn: Error {
        let name: String
    }
}

/// The fields of many records of a CSV file, one behind the other: no allocation for each record.
final class FieldTable: Sendable {
    let columns: ImportColumns
    let bytes: [UInt8]
    /// Where each field ends in `bytes`; it begins where the one before it ends.
    let ends: [Int]

    init(columns: ImportColumns, bytes: [UInt8], ends: [Int]) {
        self.columns = columns
        self.bytes = bytes
        self.ends = ends
    }

    /// The field's text; an empty field is no value.
    func value(_ field: Int) -> ImportValue {
        let start = field == 0 ? 0 : ends[field - 1]
        let end = ends[field]
        guard start < end else { return .null }
        return bytes.withUnsafeBufferPointer {
            .text(String(decoding: UnsafeBufferPointer(rebasing: $0[start..<end]), as: UTF8.self))
        }
    }
}

/// A record of a file that is imported: values by column or key.
///
/// > Threading: A value; any thread.
public struct ImportRecord: Sendable {
    enum Storage {
        case fields(FieldTable, first: Int)
        case object([String: ImportValue])
    }

    /// The record's place in the file, from 1; bad ones count.
    public let number: Int
    /// The line in which the record begins, from 1.
    public let line: Int
    /// The key under which a JSON object kept the record; nil in other files.
    public let key: String?
    let storage: Storage

    /// The value of a column or key; nil if the file has no such column, or the object no such key.
    public subscript(name: String) -> ImportValue? {
        switch storage {
        case .fields(let table, let first):
            return table.columns.indexByName[name].map { table.value(first + $0) }
        case .object(let fields):
            return fields[name]
        }
    }

    /// The names of the record's columns or keys; those of an object in no order.
    public var names: [String] {
        switch storage {
        case .fields(let table, _): table.columns.names
        case .object(let fields): Array(fields.keys)
        }
    }
}

/// Some records in a row, and what could not be read between them.
struct ImportBatch: Sendable {
    /// The batch's place in the file, from 0.
    var number = 0
    var records: [ImportRecord] = []
    var problems: [ImportProblem] = []

    var isEmpty: Bool { records.isEmpty && problems.isEmpty }
}

/// What reads a file record by record.
protocol RecordReader: AnyObject {
    /// The next records; nil at the end of the file.
    ///
    /// - Throws: An ``ImportProblem`` if the rest of the file can't be read, once all records
    ///   before it are handed out; the same each time from then on.
    func nextBatch(maximumCount: Int) throws -> ImportBatch?
    /// How far the reader is.
    var consumedByteCount: Int { get }
}
