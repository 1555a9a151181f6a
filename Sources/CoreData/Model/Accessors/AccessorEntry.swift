/// What a generated accessor does in one entity: a slot and what is done with it, in one word.
struct AccessorEntry {
    /// What the accessor's name says.
    enum Role: UInt8 {
        /// The entity has no property that the name could mean.
        case missing
        case value
        /// `primitiveName`: sets quietly.
        case primitive
        /// `countOfItems`.
        case count
        // Functions that change a to-many relationship.
        case add, remove, intersect, insert, removeAt, replaceAt
    }

    let rawValue: UInt32

    init(rawValue: UInt32) { self.rawValue = rawValue }

    init(_ slot: PropertySlot, _ role: Role) {
        // Sixteen bits are enough for a slot: `ModelProblem` refuses entities with more properties.
        rawValue =
            UInt32(truncatingIfNeeded: slot.index) << 16 | UInt32(slot.kind.rawValue) << 8
            | UInt32(role.rawValue)
    }

    static let missing = AccessorEntry(rawValue: 0)

    @inline(__always) var slot: Int { Int(rawValue >> 16) }
    @inline(__always) var role: Role {
        Role(rawValue: UInt8(truncatingIfNeeded: rawValue)) ?? .missing
    }
    /// Whether the accessor reads and sets values of a kind without more ado.
    @inline(__always) func isValue(_ kind: StorageKind) -> Bool {
        UInt16(truncatingIfNeeded: rawValue)
            == UInt16(kind.rawValue) << 8 | UInt16(Role.value.rawValue)
    }
    /// Whether the accessor reads and sets integers or Booleans without more ado.
    @inline(__always) var isInteger: Bool {
        UInt8(truncatingIfNeeded: rawValue) == Role.value.rawValue
            && UInt8(truncatingIfNeeded: rawValue >> 8) <= StorageKind.boolean.rawValue
    }
    /// Whether an integer is one that the attribute holds as it is.
    @inline(__always) func holds(_ value: Int64) -> Bool {
        switch UInt8(truncatingIfNeeded: rawValue >> 8) {
        case StorageKind.integer16.rawValue: Int64(Int16(truncatingIfNeeded: value)) == value
        case StorageKind.integer32.rawValue: Int64(Int32(truncatingIfNeeded: value)) == value
        case StorageKind.boolean.rawValue: value == value & 1
        default: true
        }
    }
}

extension AccessorEntry {
    /// The names that accessors of a property may have.
    ///
    /// Those of to-many relationships are what Xcode has generated over the years, as Swift names
    /// and as selectors: the base name, and after a colon each further label. Apple's
    /// "Key-Value Coding Programming Guide" and "Core Data Programming Guide" list them.
    static func names(of slot: PropertySlot) -> [(name: String, entry: AccessorEntry)] {
        let value = AccessorEntry(slot, .value), primitive = AccessorEntry(slot, .primitive)
        let capital = slot.name.prefix(1).uppercased() + slot.name.dropFirst()
        var names = [
            (slot.name, value), ("set\(capital)", value), ("primitive\(capital)", primitive),
            ("setPrimitive\(capital)", primitive),
        ]
        guard slot.isToMany else { return names }
        for (role, templates) in relationshipNames {
            let entry = AccessorEntry(slot, role)
            for template in templates {
                names.append((template.replacing("%", with: capital), entry))
            }
        }
        return names
    }

    private static let relationshipNames: [(Role, [String])] = [
        (.count, ["countOf%"]),
        (.add, ["addTo%", "add%", "add%Object"]),
        (.remove, ["removeFrom%", "remove%", "remove%Object"]),
        (.intersect, ["intersect%"]),
        (
            .insert,
            [
                "insertInto%:at", "insert%:at", "insert%:atIndexes", "insertObject:in%At",
                "insertObject:in%AtIndex", "insertInto%:atIndexes",
            ]
        ),
        (
            .removeAt,
            [
                "removeFrom%:at", "remove%:at", "remove%AtIndexes", "removeObjectFrom%:at",
                "removeObjectFrom%AtIndex", "removeFrom%AtIndexes",
            ]
        ),
        (
            .replaceAt,
            [
                "replace%:at:with", "replaceObject:in%At:with",
                "replaceObjectIn%AtIndex:withObject",
                "replaceObject:in%AtIndex:with", "replaceObjectIn%AtIndex:with",
                "replace%AtIndexes:with%", "replace%AtIndexes:with",
            ]
        ),
    ]
}
