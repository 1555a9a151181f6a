/// A value of a row as files have it.
enum FieldValue {
    case null
    /// Digits, `true` or `false`: the same in all formats.
    case literal(String)
    case text(String)
    /// Keys of related objects, in one field where there are columns.
    case list([FieldValue], separator: String)
}
