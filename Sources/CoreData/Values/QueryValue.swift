import Foundation

/// A value while a predicate or expression is evaluated: what comparisons see, without boxing of
/// numbers.
enum QueryValue {
    case null
    /// Integers and Booleans.
    case integer(Int64)
    case real(Double)
    case decimal(Decimal)
    case text(String)
    /// Seconds since the reference date.
    case date(Double)
    case bytes(Data)
    case url(URL)
    /// A value of a kind that compares with its own values only, such as a UUID.
    case scalar(QueryScalar)
    /// Something with properties: a managed object, a row, a dictionary.
    case object(any KeyValueSource)
    /// The elements of an array, a set or a to-many relationship.
    case collection([QueryValue])
    case other(Any)
}

/// Something whose properties predicates and sort descriptors can read.
///
/// Managed objects conform, and so do the in-memory store's rows.
protocol KeyValueSource: AnyObject {
    /// The value of one property (never a key path); nil if there is no such key.
    func queryValue(for key: QueryKey) -> QueryValue?
    /// What two stand-ins for the same thing have in common: an object's ID, or itself.
    var queryIdentity: AnyHashable { get }
}
