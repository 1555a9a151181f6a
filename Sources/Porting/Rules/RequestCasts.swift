import SwiftSource

/// Leads casts between fetch requests, and results controllers, of different result types by
/// `AnyObject`.
///
/// Swift's compiler takes `request as! NSFetchRequest<Person>` for impossible where `request` is an
/// `NSFetchRequest<NSFetchRequestResult>`, except with Objective-C, whose classes have no generic
/// parameters at run time. By `AnyObject` the cast is made at run time, on all platforms alike.
enum RequestCasts {
    private static let genericClasses: Set<String> = [
        "NSFetchRequest", "NSFetchedResultsController", "NSAsynchronousFetchResult",
    ]

    static func apply(to file: inout PortingFile) {
        for index in file.activeTokens {
            guard let name = file.source.word(index), genericClasses.contains(name),
                file.source.isToken(index + 1, "<"), let cast = cast(before: index, in: file)
            else { continue }
            file.insert("as AnyObject ", at: file.source.tokens[cast].range.lowerBound)
            file.note(cast, "a cast to \(name)<…>: by AnyObject")
        }
    }

    /// The `as` or `is` whose type begins at a token; nil in patterns and where it is made already.
    private static func cast(before index: Int, in file: PortingFile) -> Int? {
        let source = file.source
        let isMarked = source.isToken(index - 1, "!") || source.isToken(index - 1, "?")
        let word = isMarked ? index - 2 : index - 1
        let isExpression = !["AnyObject", "case", ","].contains { source.isToken(word - 1, $0) }
        return source.isToken(word, isMarked ? "as" : "is") && isExpression ? word : nil
    }
}
