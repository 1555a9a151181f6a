/// A source whose sort keys are read once, however often it is compared.
///
/// Each is read when a comparison first comes to it, for a later key may lead along a relationship, and
/// reading it may take a statement.
///
/// > Threading: Confined to one sort or search.
final class SortSubject<Source: KeyValueSource> {
    let source: Source
    /// Those of the first keys, as far as they were asked for.
    private var values: [QueryValue] = []

    init(_ source: Source) { self.source = source }

    @inline(__always) func value(_ number: Int, _ key: SortKey) -> QueryValue {
        if number < values.count { return values[number] }
        let value = key.value(source)
        values.append(value)
        return value
    }
}
