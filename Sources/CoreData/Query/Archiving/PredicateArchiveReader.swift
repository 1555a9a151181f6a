import Foundation

/// Makes predicates, expressions and sort descriptors of keyed archives that Apple's framework
/// wrote.
///
/// The archive may have been made to do harm: nesting and the number of parts are limited, and
/// only functions of the predicate language come out, unless calls are allowed.
///
/// > Threading: One thread at a time.
final class PredicateArchiveReader {
    private static let maximumDepth = 200
    private static let maximumPartCount = 100_000

    let archive: KeyedArchive
    private var depth = 0
    private var partCount = 0

    /// Whether functions may be what a variable's value can do: in mapping models, which know what
    /// may be called.
    let allowsCalls: Bool

    init(_ archive: KeyedArchive, allowsCalls: Bool = false) {
        self.archive = archive
        self.allowsCalls = allowsCalls
    }

    // MARK: Predicates

    func predicate(_ object: ArchivedObject) throws(ArchiveError) -> NSPredicate {
        try descend()
        defer { depth -= 1 }
        let names = object.classNames
        if names.contains("NSCompoundPredicate") { return try compound(object) }
        if names.contains("NSComparisonPredicate") { return try comparison(object) }
        if names.contains("NSTruePredicate") { return NSPredicate(value: true) }
        if names.contains("NSFalsePredicate") { return NSPredicate(value: false) }
        throw ArchiveError(reason: "predicates of class \(object.className) are not known")
    }

    private func compound(_ object: ArchivedObject) throws(ArchiveError) -> NSPredicate {
        let code = try object.integer("NSCompoundPredicateType") ?? -1
        guard let type = UInt(exactly: code).flatMap(NSCompoundPredicate.LogicalType.init),
            let parts = try object.object("NSSubpredicates")?.elements(),
            type != .not || parts.count == 1
        else { throw object.malformed("NSSubpredicates") }
        var predicates: [NSPredicate] = []
        for part in parts {
            guard case .object(let part) = part else { throw object.malformed("NSSubpredicates") }
            predicates.append(try predicate(part))
        }
        return CompoundPredicate(type: type, subpredicates: predicates)
    }

    private func comparison(_ object: ArchivedObject) throws(ArchiveError) -> NSPredicate {
        guard let comparison = try object.object("NSPredicateOperator") else {
            throw object.malformed("NSPredicateOperator")
        }
        let code = try comparison.integer("NSOperatorType") ?? -1
        let modifierCode = try comparison.integer("NSModifier") ?? 0
        guard let type = UInt(exactly: code).flatMap(NSComparisonPredicate.Operator.init),
            let modifier = UInt(exactly: modifierCode)
                .flatMap(NSComparisonPredicate.Modifier.init)
        else {
            throw ArchiveError(reason: "the operator \(code) of a comparison is not known")
        }
        // An archive is data, which must not choose what code runs.
        if type == .customSelector {
            throw ArchiveError(reason: "a comparison calls a method of the program's")
        }
        // Under one key or the other, by the operator's class: see `PredicateArchiveWriter`.
        let (stated, flags) = (
            try comparison.integer("NSOptions"), try comparison.integer("NSFlags")
        )
        let options = stated ?? flags ?? 0
        return NSComparisonPredicate(
            leftExpression: try part(object, "NSLeftExpression"),
            rightExpression: try part(object, "NSRightExpression"),
            modifier: modifier,
            type: type,
            options: NSComparisonPredicate.Options(rawValue: UInt(truncatingIfNeeded: options) & 15)
        )
    }

    /// An expression that must be there.
    func part(_ object: ArchivedObject, _ key: String) throws(ArchiveError) -> NSExpression {
        guard let part = try object.object(key) else { throw object.malformed(key) }
        return try expression(part)
    }

    /// Goes a level deeper.
    func descend() throws(ArchiveError) {
        depth += 1
        partCount += 1
        // Depth alone does not bound the work: where each level names its part twice, a few objects
        // of an archive make more expressions than memory holds.
        guard depth <= Self.maximumDepth, partCount <= Self.maximumPartCount else {
            throw ArchiveError(reason: "a predicate is nested too deep, or a part of itself")
        }
    }

    func ascend() { depth -= 1 }

    // MARK: Sort descriptors

    func sortDescriptors(
        _ object: ArchivedObject
    ) throws(ArchiveError) -> [NSSortDescriptor] {
        var descriptors: [NSSortDescriptor] = []
        for element in try object.elements() {
            guard case .object(let descriptor) = element,
                descriptor.classNames.contains("NSSortDescriptor")
            else { throw object.malformed("NS.objects") }
            let selector = try descriptor.string("NSSelector") ?? "compare:"
            guard let order = SortOrderName(rawValue: selector) else {
                throw ArchiveError(reason: "the comparison \(selector) is not known")
            }
            descriptors.append(
                KeySortDescriptor(
                    key: try descriptor.string("NSKey"),
                    ascending: try descriptor.boolean("NSAscending") ?? true,
                    order: order,
                    block: nil
                )
            )
        }
        return descriptors
    }
}
