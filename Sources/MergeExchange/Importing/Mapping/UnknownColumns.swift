/// Finds what records have and a mapping has no place for.
struct UnknownColumns: Sendable {
    /// Names of columns or keys; what is within objects has its path.
    struct Found {
        var all: Set<String> = []
        /// Those that hold lists or objects, or are within one.
        var nested: Set<String> = []

        mutating func formUnion(_ other: Found) {
            all.formUnion(other.all)
            nested.formUnion(other.nested)
        }
    }

    private let known: Set<String>
    /// The keys that are read of an object, by the column that has it.
    private let knownWithin: [String: Set<String>]

    init(_ mapping: EntityMapping) {
        known = mapping.sources.reduce(into: []) { $0.formUnion($1.topLevelNames) }
        var within: [String: Set<String>] = [:]
        for source in mapping.sources {
            for (name, inner) in source.innerNames { within[name, default: []].insert(inner) }
        }
        for relationship in mapping.relationships {
            guard let relatedBy = relationship.relatedBy else { continue }
            for name in relationship.source.topLevelNames {
                within[name, default: []].formUnion(relatedBy.source.topLevelNames)
            }
        }
        knownWithin = within
    }

    func found(in records: [KeyedRecord]) -> Found {
        var found = Found()
        for keyed in records {
            switch keyed.record.storage {
            case .fields(let table, _):
                // All records of a file with columns have the same.
                found.all = Set(table.columns.names).subtracting(known)
                return found
            case .object(let fields):
                for (name, value) in fields { note(name, value, in: &found) }
            }
        }
        return found
    }

    private func note(_ name: String, _ value: ImportValue, in found: inout Found) {
        guard known.contains(name) else {
            found.all.insert(name)
            if value.isNested { found.nested.insert(name) }
            return
        }
        guard value.isNested, let inner = knownWithin[name] else { return }
        for key in value.keysOfObjects where !inner.contains(key) {
            found.all.insert("\(name).\(key)")
            found.nested.insert("\(name).\(key)")
        }
    }
}

extension ImportValue {
    /// Whether it is a list or an object.
    var isNested: Bool {
        switch self {
        case .list, .object: true
        default: false
        }
    }

    /// The keys of the object, or of those in the list.
    fileprivate var keysOfObjects: [String] {
        switch self {
        case .object(let fields): Array(fields.keys)
        case .list(let items): items.flatMap(\.keysOfObjects)
        default: []
        }
    }
}
