/// A column of an entity table beside `Z_PK`, `Z_ENT` and `Z_OPT`.
struct EntityColumn {
    enum Role: Equatable {
        /// An attribute's value, or the key of a to-one relationship's destination.
        case value(DeclaredSlot)
        /// The value of an element of a composite attribute.
        case element(DeclaredSlot, Int)
        /// The entity number of a to-one's destination, if that has sub-entities.
        case destinationEntity(DeclaredSlot)
        /// The place in an ordered collection, which the to-one leads back from.
        case order(DeclaredSlot)
        /// The key of the owner through a to-many relationship without inverse.
        case owner(DeclaredSlot)
        /// The place in the ordered collection of such an owner.
        case ownerOrder(DeclaredSlot)
    }
    var name: String
    let declaredType: String
    let role: Role
    /// Columns of the same group stand together, see `StorageKind.columnGroup`.
    let group: Int
}

/// The table of an inheritance tree.
struct EntityTable {
    let rootIndex: Int
    let name: String
    var columns: [EntityColumn]
}

/// The names of the columns of one property.
struct SlotColumns {
    /// Nil for what is not in the table.
    var value: String?
    /// The entity number of a to-one's destination; nil if it has no sub-entities.
    var destinationEntity: String?
    /// The place in the ordered collection at the other end of a to-one.
    var order: String?
    /// Of the elements of a composite attribute, in order; nil for those that the table lacks.
    var elements: [String?] = []

    /// The columns that hold the value.
    var contents: [String] {
        [value, destinationEntity].compactMap(\.self) + elements.compactMap(\.self)
    }
}

/// The table of a many-to-many relationship, seen from the relationship that owns it.
struct JoinTable {
    var name: String
    let owner: DeclaredSlot
    /// The inverse; the same as `owner` for a relationship that is its own inverse.
    let inverse: DeclaredSlot
    /// Holds the keys of the owner's objects.
    var sourceColumn: String
    /// Holds the keys of what the owner leads to.
    var destinationColumn: String
    /// The place in the owner's collection, if it is ordered.
    var destinationOrderColumn: String?
    /// The place in the inverse's collection, if that is ordered.
    var sourceOrderColumn: String?

    var isReflexive: Bool { owner == inverse }
}

/// How to get from an object to the content of one of its to-many relationships.
enum ToManyAccess {
    /// Rows of a table whose column holds the object's key.
    case foreignKey(table: String, column: String, orderColumn: String?)
    /// The same, but the column belongs to the to-many itself, since there is no inverse.
    case ownerKey(table: String, column: String, orderColumn: String?)
    /// Rows of a join table.
    case join(
        table: String,
        ownColumn: String,
        otherColumn: String,
        orderColumn: String?,
        isReflexive: Bool
    )

    /// The columns of the members' own rows that hold their owner's key and their place; nil where
    /// another table has them.
    var columnsOfMembers: (key: String, order: String?)? {
        switch self {
        case .foreignKey(_, let column, let order), .ownerKey(_, let column, let order):
            (column, order)
        case .join: nil
        }
    }
}

extension StorageKind {
    /// Where a new table has the columns of this kind; nil for what has none.
    var columnGroup: Int? {
        guard isInRow else { return nil }
        return AttributeKinds.kind(of: self)?.column.group ?? 0
    }

    /// The type that a new table declares; what SQLite derives from it is how values are stored.
    var declaredColumnType: String {
        AttributeKinds.kind(of: self)?.column.declaredType ?? "INTEGER"
    }
}
