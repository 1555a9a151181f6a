import Foundation

/// A kind of values that attributes have: everything that the rest of the module knows of it.
///
/// Each kind is one file in `Kinds` and one line in `AttributeKinds.all`. No other code names kinds,
/// but for two places: inner loops switch over `StorageKind.Form`, which is a closed set, and typed
/// accessors know the kinds of Swift's own numbers and texts.
///
/// > Threading: Kinds have no state; any thread.
protocol AttributeKind: SendableMetatype {
    // MARK: Names

    /// The type in Apple's API.
    static var type: NSAttributeType { get }
    /// What Xcode calls the type, also in the source of a model.
    static var sourceName: String { get }
    /// The class of the values in Foundation; nil where the type doesn't say.
    static var valueClass: AnyClass? { get }
    /// The name of that class; nil where the type doesn't say.
    static var valueClassName: String? { get }

    // MARK: Storage

    /// How rows have the values; that of `UndefinedKind` for what no store keeps.
    static var storage: StorageKind { get }
    /// The column of a table.
    static var column: AttributeColumn { get }
    /// The value that a row keeps of a column's value; nil if that is damaged.
    ///
    /// Asked only where `convertsColumn` says so: rows of other kinds take a column's bytes as they
    /// are.
    static func stored(ofColumn value: SlotValue) -> SlotValue?
    /// Whether rows keep something else than the column.
    static var convertsColumn: Bool { get }
    /// The integers that an attribute of whole numbers holds; nil for other kinds.
    static var integerRange: ClosedRange<Int64>? { get }
    /// Whether a file may have a value in storage form.
    static func isReadable(_ value: SlotValue) -> Bool
    /// What XML stores call the type; nil for what no store keeps.
    static var markupName: String? { get }
    /// How keyed archives have a value; nil for classes that `FoundationArchive` or property lists
    /// know, and for what can't be archived.
    static var archive: ArchivedScalar? { get }

    // MARK: Key-value access

    /// A value in storage form; nil if it is of a foreign type.
    ///
    /// - Parameter value: Not nil, and not `NSNull`.
    static func slotValue(_ value: Any) -> SlotValue?
    /// A value in storage form as key-value access returns it: numbers as `NSNumber`, decimals as
    /// `NSDecimalNumber`, the rest as Foundation's value types.
    ///
    /// - Parameter value: Neither null nor a box.
    static func anyValue(_ value: SlotValue) -> Any?
    /// A value for a property that is not optional, while a key path is followed; nil if Swift has
    /// a zero of the type, or the type isn't known.
    static var placeholder: Any? { get }

    // MARK: Comparison

    /// What the values compare with.
    static var comparison: ComparisonForm { get }
    /// A value in storage form as comparisons see it.
    ///
    /// - Parameter value: Neither null nor a box.
    static func queryValue(_ value: SlotValue) -> QueryValue
    /// The result of an expression, as key-value access returns values of the kind.
    static func result(_ value: QueryValue) -> Any?

    // MARK: Text

    /// The text of a value in storage form, as predicates write it; nil for kinds whose values
    /// predicates write in a form of their own.
    static func text(_ value: SlotValue) -> String?
    /// The value that a text is, as key-value access gives it; nil if it is none.
    static func value(_ text: String) -> Any?

    // MARK: Models

    /// The attribute of an element in a model's source that has the default value.
    static var defaultValueName: String { get }
    /// The default value that a model's source says; nil for a type that has none there.
    static func defaultValue(_ text: String) -> DefaultValueText?
    /// The limits that a model can set to values.
    static var bounds: BoundsForm { get }
    /// The types that an attribute may have in a later version of its model: those of which every
    /// value of this one is a value too, and Double for Integer 64.
    static var widerTypes: Set<NSAttributeType> { get }
}

/// The column that a new table gets for an attribute.
struct AttributeColumn {
    /// The type that the table declares; what SQLite derives from it is how values are stored.
    let declaredType: String
    /// Columns of one group stand together, the lowest first.
    let group: Int
}

/// What the values of a kind compare with in predicates.
enum ComparisonForm {
    /// Numbers. Whole ones and Booleans stay whole in SQL.
    case integers, reals
    /// Texts.
    case texts
    /// Bytes.
    case bytes
    /// Values of their own kind only, in the order of their storage form.
    case ownKind
    /// Nothing but nil, in SQL.
    case nothing
}

/// What limits a model can set to the values of a kind.
enum BoundsForm {
    case none
    case integers, reals, floats, decimals
    case dates
    /// Length and pattern.
    case texts
}

/// What the text of a default value in a model's source comes to.
enum DefaultValueText {
    case value(Any)
    /// An integer that the type does not hold.
    case outOfRange(Int64)
    case malformed
}

/// An object in a keyed archive that has one field: a value in storage form.
struct ArchivedScalar {
    /// The name of the class and those of its superclasses.
    let classNames: [String]
    let field: String
}

// MARK: What most kinds have in common

extension AttributeKind {
    static var valueClassName: String? { valueClass.map { String(describing: $0) } }
    static func stored(ofColumn value: SlotValue) -> SlotValue? { value }
    static var convertsColumn: Bool { false }
    static var integerRange: ClosedRange<Int64>? { nil }
    static func isReadable(_ value: SlotValue) -> Bool { true }
    static var archive: ArchivedScalar? { nil }
    static var placeholder: Any? { nil }
    static func result(_ value: QueryValue) -> Any? { value.anyValue }
    static func text(_ value: SlotValue) -> String? { nil }
    static func value(_ text: String) -> Any? { nil }
    static var defaultValueName: String { "defaultValueString" }
    static func defaultValue(_ text: String) -> DefaultValueText? {
        value(text).map { .value($0) } ?? .malformed
    }
    static var bounds: BoundsForm { .none }
    static var widerTypes: Set<NSAttributeType> { [] }

    /// The form that says nothing of the kind, for values that are in another form than the kind's:
    /// a number that no integer holds, until validation refuses it.
    static func plainValue(_ value: SlotValue) -> Any? {
        switch value {
        case .integer(let integer): NSNumber(value: integer)
        case .real(let real): NSNumber(value: real)
        case .text(let text): text
        case .bytes(let data): data
        case .null, .reference, .box: nil
        }
    }

    static func queryValue(_ value: SlotValue) -> QueryValue {
        switch value {
        case .null, .reference, .box: return .null
        case .integer(let integer): return .integer(integer)
        case .real(let real): return .number(real)
        case .text(let text): return .text(text)
        case .bytes(let data): return .bytes(data)
        }
    }
}
