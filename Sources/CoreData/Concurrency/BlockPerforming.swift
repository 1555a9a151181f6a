/// What runs blocks on a queue of its own: contexts and coordinators.
///
/// `performAndWait(_:)` with a result is a member of this protocol's extensions, and not of the classes,
/// because overload resolution takes a class's own member first. So it takes a helper of the same name
/// that a client has written for a class, and inside that helper, and for a block without a result, the
/// class's `performAndWait(_:)` that returns nothing. Members of one class would be ambiguous, and a
/// disfavored one would leave the helper calling itself.
public protocol BlockPerforming {}
