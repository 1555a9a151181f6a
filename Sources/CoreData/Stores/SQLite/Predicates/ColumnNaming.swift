/// What the translation of predicates has to know of a store's schema.
///
/// Names come unquoted; the translation quotes those that need it.
protocol ColumnNaming {
    /// The table that holds the rows of a root entity and all that inherit from it.
    func table(rootIndex: Int) -> String
    /// The column of an attribute, or of a to-one relationship's primary key.
    func column(_ slot: PropertySlot, in layout: EntityLayout) -> String
    /// The column of an element of a composite attribute; nil if there is none.
    func column(_ slot: PropertySlot, element: Int, in layout: EntityLayout) -> String?
    /// Where the content of a to-many relationship is.
    func toMany(_ slot: PropertySlot, in layout: EntityLayout) -> ToManyStorage
    /// The number that rows of the entity have in `Z_ENT`.
    func entityNumber(_ entityIndex: Int) -> Int64
}

/// Where the content of a to-many relationship is.
enum ToManyStorage {
    /// In a column of the destination's table, which holds the owner's primary key.
    case foreignKey(column: String)
    case joinTable(name: String, ownerColumn: String, destinationColumn: String)
}

/// Names of a model in SQL.
enum SQLName {
    /// The name, quoted unless it is of capitals, digits and underscores, beginning with Z.
    static func quoted(_ name: String) -> String {
        // No keyword of SQLite begins with Z, so that these names need no quotes. All others get
        // them, since a name may be a keyword or hold any character.
        let isPlain =
            name.utf8.first == UInt8(ascii: "Z")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        if isPlain { return name }
        return "\""
            + name.split(separator: "\"", omittingEmptySubsequences: false)
            .joined(separator: "\"\"") + "\""
    }
}
