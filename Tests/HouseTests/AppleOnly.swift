import SwiftSource

/// What a source needs that Apple's SDK does not have, or not at the package's floor: iOS 13, tvOS 13,
/// watchOS 6 and macOS 10.15. Only a build on a Mac is proof; this finds what has been met.
struct AppleOnly {
    private static let imports: Set = [
        "CoreData", "Dispatch", "Foundation", "SeededRandom", "TestSupport", "Testing", "Threads",
        "XCTest",
    ]

    /// What was found: `line: what`.
    let found: [String]

    init(_ source: SwiftSource) {
        let available = AvailableRanges(source)
        let general = NewerNames(source, except: { available.covers($0, $1) }).found
        var found = available.misspelled.map { "\($0) is no list of systems of one year" }
        for index in source.tokens.indices {
            let line = source.tokens[index].line
            if let what = source.importProblem(index, Self.imports) {
                found.append("\(line): \(what)")
            }
            if let what = source.foreignName(index) { found.append("\(line): \(what)") }
            if let (name, version) = source.newerName(index), !available.covers(index, version) {
                found.append("\(line): \(name) needs iOS \(NewerNames.text(version))")
            }
        }
        self.found = (found + general.filter { !found.contains($0) }).sorted {
            Self.line($0) < Self.line($1)
        }
    }

    private static func line(_ text: String) -> Int {
        text.split(separator: ":").first.flatMap { Int($0) } ?? 0
    }
}

extension SwiftSource {
    fileprivate func importProblem(_ index: Int, _ allowed: Set<String>) -> String? {
        guard word(index) == "import", let module = word(index + 1), !isToken(index - 1, ".")
        else { return nil }
        if !tokens[index].isFirstInLine, word(index - 1) != "package" {
            return "import of \(module) with an attribute"
        }
        if allowed.contains(module) { return nil }
        let isAsked =
            isToken(index - 5, "#if") && word(index - 4) == "canImport"
            && word(index - 2) == module
        return isAsked && module == "FoundationXML" ? nil : "import of \(module)"
    }

    fileprivate func foreignName(_ index: Int) -> String? {
        guard let name = word(index) else { return nil }
        if CoreDataNames.globals.contains(name) {
            return "\(name) is a variable of Apple's: use NSMergePolicy"
        }
        if OurNames.ofInterfaces.contains(name) { return "\(name) is not in Apple's Core Data" }
        let isOurs =
            OurNames.all.contains(name) || OurNames.labels.contains(name) && isToken(index + 1, ":")
        return isOurs ? "\(name) is a name of this project's" : nil
    }

    fileprivate func newerName(_ index: Int) -> (String, Double)? {
        guard let name = word(index) else { return nil }
        if let version = CoreDataNames.types[name] { return (name, version) }
        let isMember = isToken(index - 1, ".")
        if let version = CoreDataNames.members[name], isMember || isOverride(index) {
            return (name, version)
        }
        if isMember, name == "defaultDirectoryURL", !isToken(index + 1, "(") { return (name, 15) }
        if isMember, name == "type" || name == "resultType", isToken(index + 1, "="),
            isToken(index + 2, "."),
            word(index + 3).map(CoreDataNames.attributeTypes.contains) == true
        {
            return ("\(name) of an attribute", 15)
        }
        if isMember, CoreDataNames.valued.contains(name), isValueOfCall(index) {
            return ("\(name) with a value", 15)
        }
        return newerCall(index, name)
    }

    private func newerCall(_ index: Int, _ name: String) -> (String, Double)? {
        guard isToken(index + 1, "("), let end = closingBracket(of: index + 1) else { return nil }
        if let first = word(index + 2), isToken(index + 3, "("),
            let version = CoreDataNames.conversions[name]?[first]
        {
            return ("\(name)(\(first))", version)
        }
        guard let labels = CoreDataNames.labels[name] else { return nil }
        var place = index + 2
        while place < end {
            if let label = word(place), isToken(place + 1, ":"), let version = labels[label] {
                return ("\(name)(\(label):)", version)
            }
            place = (closingBracket(of: place) ?? place) + 1
        }
        return nil
    }

    /// Whether the token is the name of an overriding declaration.
    private func isOverride(_ index: Int) -> Bool {
        guard let kind = word(index - 1), kind == "var" || kind == "func" else { return false }
        return word(index - 2) == "override" || word(index - 3) == "override"
    }
}
