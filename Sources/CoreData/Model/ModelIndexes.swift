/// What the indexes of a model file imply.
///
/// A model that is read has them all, in whatever form its file is, as a compiled one has on
/// Apple's platforms: an index over one attribute makes the attribute an indexed one, an index over
/// several makes a compound index, and an indexed attribute has an index of its name, as a compound
/// index of old has one of its attributes' names.
enum ModelIndexes {
    /// Adds to an entity what its indexes imply.
    static func complete(_ entity: NSEntityDescription) {
        let own = Dictionary(
            entity.ownProperties.map { ($0.name, $0) },
            uniquingKeysWith: { $1 }
        )
        for index in entity.indexes {
            let names = index.elements.compactMap(\.propertyName)
            // An index over an expression implies nothing: no list of names can say it.
            guard names.count == index.elements.count else { continue }
            if names.count == 1 {
                own[names[0]]?.isIndexed = true
            } else if !names.isEmpty, !entity.compoundIndexNames.contains(names) {
                entity.compoundIndexes.append(names)
            }
        }
        entity.indexes = entity.indexes + entity.impliedCompoundIndexes
        let known = Set(entity.indexes.map(\.name))
        // Apple's framework makes this index in addition to the fetch index that asks for it, and
        // its stores have both.
        let indexed = entity.ownProperties.filter {
            $0 is NSAttributeDescription && $0.isIndexed && !known.contains($0.name)
        }
        entity.indexes += indexed.sorted { $0.name < $1.name }.map { attribute in
            NSFetchIndexDescription(
                name: attribute.name,
                elements: [
                    NSFetchIndexElementDescription(property: attribute, collationType: .binary)
                ]
            )
        }
    }

    /// Whether an index follows from an attribute that is indexed, or from a compound index, and
    /// need not be written down.
    static func isImplied(_ index: NSFetchIndexDescription, in entity: NSEntityDescription) -> Bool
    {
        let names = index.elements.compactMap(\.propertyName)
        guard names.count == index.elements.count, names.joined(separator: "_") == index.name,
            index.elements.allSatisfy({ $0.isAscending && $0.collationType == .binary }),
            index.partialIndexPredicate == nil
        else { return false }
        guard names.count == 1 else {
            // A client's index can have the same form and name: the mark tells which one stands for
            // the list only.
            return index.standsForCompoundIndex && entity.compoundIndexNames.contains(names)
        }
        return index.elements.first?.property?.isIndexed == true
    }
}

extension NSEntityDescription {
    /// The indexes that compound indexes ask for and that are not in the list yet.
    var impliedCompoundIndexes: [NSFetchIndexDescription] {
        guard !compoundIndexes.isEmpty else { return [] }
        // By what they are over, since a client may give its indexes any names.
        let known = Set(indexes.map { $0.elements.compactMap(\.propertyName) })
        let properties = propertiesByName
        let missing = compoundIndexNames.filter { !$0.isEmpty && !known.contains($0) }
        return missing.compactMap { names in
            let members = names.compactMap { properties[$0] }
            guard members.count == names.count else { return nil }
            let index = NSFetchIndexDescription(
                name: names.joined(separator: "_"),
                elements: members.map {
                    NSFetchIndexElementDescription(property: $0, collationType: .binary)
                }
            )
            index.standsForCompoundIndex = true
            return index
        }
    }

    /// The compound indexes as lists of property names.
    var compoundIndexNames: [[String]] {
        compoundIndexes.map { list in
            list.compactMap { ($0 as? String) ?? ($0 as? NSPropertyDescription)?.name }
        }
    }
}
