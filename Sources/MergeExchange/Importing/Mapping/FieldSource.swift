/// Where in a record a value stands: one or more names, of which the first that is there counts.
///
/// A name may be a path with dots into nested objects; a column of that very name comes first.
struct FieldSource: Sendable {
    private let candidates: [(name: String, path: [String])]

    init(names: [String]) {
        candidates = names.map { name in
            (name, name.split(separator: ".", omittingEmptySubsequences: false).map(String.init))
        }
    }

    /// The names by which the record's own columns or keys are reached.
    var topLevelNames: Set<String> {
        Set(candidates.flatMap { [$0.name, $0.path[0]] })
    }

    /// For names that are paths: the column or key, and what is read of the object there.
    var innerNames: [(name: String, inner: String)] {
        candidates.filter { $0.path.count > 1 }.map { ($0.path[0], $0.path[1]) }
    }

    /// The names as a message shows them.
    var description: String { candidates[0].name }

    /// The column of a file with columns.
    func column(in columns: ImportColumns) -> Int? {
        for candidate in candidates {
            if let column = columns.indexByName[candidate.name] { return column }
        }
        return nil
    }

    /// The value in an object; nil if it has none of the keys.
    func value(in fields: [String: ImportValue]) -> ImportValue? {
        for candidate in candidates {
            // The whole name goes first, for a key may have a point in it.
            if let value = fields[candidate.name] { return value }
            if candidate.path.count > 1,
                let value = ImportValue.object(fields).value(atKeyPath: candidate.path)
            {
                return value
            }
        }
        return nil
    }
}

/// The values of a record by the sources of a mapping, with columns looked up once for a batch.
struct FieldReader {
    private let sources: [FieldSource]
    private var columns: ImportColumns?
    private var located: [Int?] = []

    init(_ sources: [FieldSource]) { self.sources = sources }

    /// The value at the source of that index; nil if the record has none.
    mutating func value(_ index: Int, in record: ImportRecord) -> ImportValue? {
        switch record.storage {
        case .object(let fields):
            return sources[index].value(in: fields)
        case .fields(let table, let first):
            // All batches of a file share their columns, so names are looked up once for the file.
            if columns !== table.columns {
                columns = table.columns
                located = sources.map { $0.column(in: table.columns) }
            }
            return located[index].map { table.value(first + $0) }
        }
    }
}
