import CSwiftRuntime
import Foundation
import Glibc

/// Gives the compound predicates that Foundation's own initializers make the format string, the
/// description and the equality of ours.
///
/// On Linux Foundation's are of no use (`FALSEPREDICATE`, and all are equal), and its initializers
/// can't be replaced: a class's own go before those of extensions. So these entries of its class's
/// method table are set to those of the subclass, which use nothing that only the subclass has.
enum CompoundPredicateMethods {
    /// Done once, when the first predicate that a compound may hold is made.
    static let installed: Void = {
        let own = ClassMethodTable(CompoundPredicate.self).entries
        let foundation = ClassMethodTable(NSCompoundPredicate.self).entries
        // It is writable memory with today's linkers, and nothing is lost where it can't be made so.
        guard makeWritable(foundation) else { return }
        let inherited: [@convention(c) () -> Void] = [
            foundation_predicateFormat, foundation_objectDescription,
            foundation_predicateIsEqual, foundation_objectHash,
        ]
        for method in inherited {
            let address = unsafeBitCast(method, to: UnsafeMutableRawPointer.self)
            guard let slot = foundation.firstIndex(of: address), own.indices.contains(slot) else {
                continue
            }
            foundation[slot] = own[slot]
        }
    }()

    private static func makeWritable(
        _ table: UnsafeMutableBufferPointer<UnsafeMutableRawPointer?>
    ) -> Bool {
        guard let start = table.baseAddress.map(UInt.init(bitPattern:)) else { return false }
        let page = UInt(sysconf(Int32(_SC_PAGESIZE)))
        let first = start / page * page
        let size = Int(start - first) + table.count * MemoryLayout<Int>.stride
        return mprotect(UnsafeMutableRawPointer(bitPattern: first), size, PROT_READ | PROT_WRITE)
            == 0
    }
}
