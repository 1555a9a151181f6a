import CSwiftRuntime
import Foundation

/// Gives the compound predicates that Foundation's own initializers make the format string, the
/// description and the equality of ours.
///
/// On Linux Foundation's are of no use (`FALSEPREDICATE`, and all are equal), and its initializers
/// can't be replaced: a class's own go before those of extensions. So these entries of its class's
/// method table are set to those of the subclass, which use nothing that only the subclass has.
enum CompoundPredicateMethods {
    /// Done once, when the first predicate that a compound may hold is made. Where it can't be
    /// done, such predicates stay as Foundation has them.
    static let areInstalled = ClassMethodTable.replace(
        [
            foundation_predicateFormat, foundation_objectDescription,
            foundation_predicateIsEqual, foundation_objectHash,
        ],
        of: NSCompoundPredicate.self,
        by: CompoundPredicate.self
    )
}
