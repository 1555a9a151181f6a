/// What the indexes of a model file imply.
///
/// A model that is read has them all, in whatever form its file is, as a compiled one has on
/// Apple's platforms: an index over one attribute makes the attribute an indexed one, an index over
/// several makes a compound index, and an indexed attribute has an index of its name.
enum ModelIndexes {
    /// Adds to an entity what its indexes imply.
    static func complete(_ entity: NSEntityDescription) {
        let own = Dictionary(
            entity.ownProperties.map { ($0.name, $0) },
            uniquingKeysWith: { $1 }
        )
        for index in entity.indexes {
            let names = index.elements.compactMap(\.propertyName)
            guard names.count == index.elements.count else { continue }
            if names.count == 1 {
                own[names[0]]?.isIndexed = true
            } else if !names.isEmpty, !entity.compoundIndexNames.contains(names) {
                entity.compoundIndexes.append(names)
            }
        }
        let known = Set(entity.indexes.map(\.name))
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

    /// Whether an index follows from an attribute that is indexed, and need not be written down.
    static func isImplied(_ index: NSFetchIndexDescription) -> Bool {
        guard index.elements.count == 1, let element = index.elements.first,
            element.propertyName == index.name, element.isAscending,
            element.collationType == .binary, index.partialIndexPredicate == nil
        else { return false }
        return element.property?.isIndexed == true
    }
}

extension NSEntityDescription {
    /// The compound indexes as lists of property names.
    var compoundIndexNames: [[String]] {
        compoundIndexes.map { list in
            list.compactMap { ($0 as? String) ?? ($0 as? NSPropertyDescription)?.name }
        }
    }
}
