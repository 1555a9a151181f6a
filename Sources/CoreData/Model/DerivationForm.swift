/// The two forms of the derivation `pages.@count`: a key path, as model sources have it, and a
/// function of a key path, as archives have it.
enum DerivationForm {
    private static let operators: [String: String] = [
        "count:": "@count", "sum:": "@sum", "min:": "@min", "max:": "@max", "average:": "@avg",
    ]

    /// An aggregate of a key path as a key path; any other expression as it is.
    ///
    /// Of the operators only `@count` stands last: `numbers.@sum.value` is the sum of
    /// `numbers.value`.
    static func keyPath(of expression: NSExpression) -> NSExpression {
        guard case .function(let name, let arguments) = expression.node, arguments.count == 1,
            let word = operators[name], case .keyPath(nil, let path) = arguments[0].node
        else { return expression }
        if word == "@count" { return NSExpression(forKeyPath: "\(path).\(word)") }
        guard let dot = path.lastIndex(of: ".") else { return expression }
        return NSExpression(
            forKeyPath: "\(path[..<dot]).\(word).\(path[path.index(after: dot)...])"
        )
    }

    /// The other way round, for archives.
    static func function(of expression: NSExpression) -> NSExpression {
        guard case .keyPath(nil, let path) = expression.node else { return expression }
        var keys = path.split(separator: ".").map(String.init)
        guard keys.count > 1, let place = keys.firstIndex(where: { $0.hasPrefix("@") }),
            let name = operators.first(where: { $0.value == keys[place] })?.key,
            // As above: at any other place the operator has no form as a function of a path.
            (name == "count:") == (place == keys.count - 1)
        else { return expression }
        keys.remove(at: place)
        let argument = NSExpression(forKeyPath: keys.joined(separator: "."))
        return NSExpression(.function(name: name, arguments: [argument]))
    }
}
