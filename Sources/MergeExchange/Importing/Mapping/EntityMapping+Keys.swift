import Foundation

extension EntityMapping.Relationship {
    /// The keys of the related objects that a record's value names; empty for none.
    func keys(_ value: ImportValue) throws(AttributeCoercion.Failure) -> [ImportKey] {
        let items: [ImportValue]
        switch value {
        case .null: items = []
        case .list(let list): items = list
        case .text(let text):
            guard isToMany, let separator, !separator.isEmpty else {
                items = [value]
                break
            }
            items = text.components(separatedBy: separator)
                .map { $0.trimmingCharacters(in: .whitespaces) }
                .filter { !$0.isEmpty }
                .map { .text($0) }
        default: items = [value]
        }
        guard isToMany || items.count <= 1 else {
            throw AttributeCoercion.Failure(reason: "A list can't be one object.")
        }
        var keys: [ImportKey] = []
        for item in items where item != .null {
            // Some key, and not none: it finds no index, which is then reported as the missing
            // `relatedByAttribute`. Without keys the record would pass as one that names nothing.
            guard let relatedBy else { return [.text("")] }
            // An object in place of a key has the key inside.
            var key = item
            if case .object(let fields) = item {
                guard let inner = relatedBy.source.value(in: fields), inner != .null else {
                    throw AttributeCoercion.Failure(
                        reason: "The object has no \"\(relatedBy.source.description)\"."
                    )
                }
                key = inner
            }
            if let key = ImportKey(try relatedBy.coercion.object(key)) { keys.append(key) }
        }
        return keys
    }
}
