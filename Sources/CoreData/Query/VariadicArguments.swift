import Foundation

/// Calls a block with a list of arguments as C functions take it.
///
/// `NSPredicate(format:arguments:)` takes such a list within the block.
public func withVaList<R>(_ args: [any CVarArg], _ body: (CVaListPointer) -> R) -> R {
    Swift.withVaList(args) { list in
        VariadicArguments.lists.value.open.append((VariadicArguments.key(list), args))
        defer { VariadicArguments.lists.value.open.removeLast() }
        return body(list)
    }
}

/// A list of arguments as C functions take it, which is never released.
///
/// `NSPredicate(format:arguments:)` takes the last hundred of a thread.
public func getVaList(_ args: [any CVarArg]) -> CVaListPointer {
    let list = ArgumentList.make(args)
    let lists = VariadicArguments.lists.value
    // Nobody says when such a list has been used, so the oldest is given up in the end.
    if lists.made.count == 100 { lists.made.removeFirst() }
    lists.made.append((VariadicArguments.key(list), args))
    return list
}

/// The arguments that lists were made of: a list does not say how many it has, nor their types.
enum VariadicArguments {
    final class Lists {
        /// Those of blocks that run, the innermost last.
        var open: [(key: [UInt8], arguments: [any CVarArg])] = []
        var made: [(key: [UInt8], arguments: [any CVarArg])] = []
    }
    static let lists = ThreadLocal { Lists() }

    /// The arguments of a list of this thread.
    ///
    /// - Precondition: It was made by one of the functions above.
    static func arguments(of list: CVaListPointer) -> [any CVarArg] {
        let key = key(list)
        let lists = lists.value
        // A list is known by its address only, which may have been another one's before: lists
        // whose block is still running go first, and of each kind the latest.
        let found = lists.open.last { $0.key == key } ?? lists.made.last { $0.key == key }
        guard let found else {
            fatalError(
                "init(format:arguments:) takes lists of withVaList(_:_:) and getVaList(_:) only: "
                    + "use init(format:argumentArray:)."
            )
        }
        return found.arguments
    }

    /// The bytes of a list's address or, where lists are no addresses, of the list.
    static func key(_ list: CVaListPointer) -> [UInt8] {
        withUnsafeBytes(of: list) { Array($0) }
    }
}
