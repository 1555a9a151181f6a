import SwiftSource

/// Writes casts between fetch requests, results controllers and asynchronous results of different
/// result types as calls of `unsafeBitCast`.
///
///     unsafeBitCast(request as AnyObject, to: NSFetchRequest<Person>.self)
///
/// Objective-C's classes have no generic parameters at run time, so on Apple's platforms such a cast
/// always succeeds. Swift's compiler takes it for impossible. The standard library's function is
/// the same cast there; on Linux module CoreData has one of that name, which checks its argument.
enum RequestCasts {
    /// The generic classes, each with what a conditional cast asks for.
    private static let genericClasses = [
        "NSFetchRequest": "NSPersistentStoreRequest",
        "NSFetchedResultsController": "NSObject",
        "NSAsynchronousFetchResult": "NSPersistentStoreResult",
    ]

    static func apply(to file: inout PortingFile) {
        for index in file.activeTokens {
            guard let name = file.source.word(index), let base = genericClasses[name],
                file.source.isToken(index + 1, "<"), let cast = Cast(before: index, in: file.source)
            else { continue }
            switch cast.kind {
            case .test:
                // A cast that goes by AnyObject already compiles as it is.
                guard !file.source.isToken(cast.word - 1, "AnyObject") else { continue }
                file.insert("as AnyObject ", at: file.source.tokens[cast.word].range.lowerBound)
                file.note(cast.word, "a cast to \(name)<…>: by AnyObject")
            case .forced, .conditional:
                rewrite(cast, to: index, base, in: &file)
            }
        }
    }

    private static func rewrite(
        _ cast: Cast,
        to index: Int,
        _ base: String,
        in file: inout PortingFile
    ) {
        let source = file.source
        guard let name = source.word(index),
            let end = GenericArguments.end(from: index + 1, in: source)
        else { return }
        let type = source.text(source.tokens[index].range.lowerBound..<end)
        // What was cast by AnyObject before is cast by it anew.
        let isErased =
            source.isToken(cast.word - 1, "AnyObject") && source.isToken(cast.word - 2, "as")
        let word = isErased ? cast.word - 2 : cast.word
        guard let start = Operand.start(before: word, in: source) else {
            file.leave(
                cast.word,
                "Swift's classes know their generic parameters: write "
                    + "unsafeBitCast(… as AnyObject, to: \(type).self)"
            )
            return
        }
        let operandStart = source.tokens[start].range.lowerBound
        let tail = source.tokens[word].range.lowerBound..<end
        if cast.kind == .conditional {
            // `unsafeBitCast` can't answer nil. The cast to the plain class does, for what is no
            // such object at all.
            file.insert("(", at: operandStart)
            file.replace(
                tail,
                // In parentheses, for a block behind a condition would be taken for its body.
                with: "as AnyObject as? \(base)).map({ "
                    + "unsafeBitCast($0 as AnyObject, to: \(type).self) })"
            )
            file.note(cast.word, "a cast to \(name)<…>: by unsafeBitCast")
        } else if name == "NSFetchRequest", source.isToken(start, "NSFetchRequest"),
            let opening = initializer(from: start, before: word, in: source)
        {
            // A request that is made here can be made of the right type.
            let head = operandStart..<source.tokens[opening].range.lowerBound
            file.replace(head, with: type)
            file.replace(source.tokens[word - 1].range.upperBound..<end, with: "")
            file.note(cast.word, "a request that is cast: made as \(type)")
        } else {
            file.insert("unsafeBitCast(", at: operandStart)
            file.replace(tail, with: "as AnyObject, to: \(type).self)")
            file.note(cast.word, "a cast to \(name)<…>: by unsafeBitCast")
        }
    }

    /// The parenthesis of `NSFetchRequest<…>(…)`, if that is all of the operand.
    private static func initializer(
        from start: Int,
        before word: Int,
        in source: SwiftSource
    ) -> Int? {
        guard source.isToken(word - 1, ")"), let opening = source.openingBracket(of: word - 1)
        else { return nil }
        if opening == start + 1 { return opening }
        guard source.isToken(start + 1, "<"),
            let end = GenericArguments.end(from: start + 1, in: source),
            end == source.tokens[opening].range.lowerBound
        else { return nil }
        return opening
    }
}

/// The word of a cast in front of a type.
private struct Cast {
    enum Kind { case forced, conditional, test }

    let kind: Kind
    /// `as` or `is`.
    let word: Int

    /// - Returns: nil where no expression is cast, and in patterns.
    init?(before type: Int, in source: SwiftSource) {
        let isForced = source.isToken(type - 1, "!"), isConditional = source.isToken(type - 1, "?")
        word = isForced || isConditional ? type - 2 : type - 1
        kind = isForced ? .forced : isConditional ? .conditional : .test
        guard source.isToken(word, kind == .test ? "is" : "as"),
            !source.isToken(word - 1, "case"), !source.isToken(word - 1, ",")
        else { return nil }
    }
}
