/// How the value of a derived attribute follows from other objects.
enum Derivation: Equatable {
    /// `pages.@count`.
    case count(relationship: String)
    /// `pages.@sum.number`.
    case sum(relationship: String, attribute: String)
    /// `author.name`, over a to-one relationship.
    case path(relationship: String, attribute: String)
    /// A function of such a value, as `canonical:(author.name)`.
    case function(relationship: String)

    /// Whether stores with triggers keep the value up to date by themselves.
    var isKeptByTriggers: Bool {
        if case .function = self { false } else { true }
    }

    /// The relationship that the value depends on.
    var relationship: String {
        switch self {
        case .count(let name), .sum(let name, _), .path(let name, _), .function(let name): name
        }
    }
}

extension NSDerivedAttributeDescription {
    /// Nil for what an object's own attributes say, and for what is no derivation of these.
    var derivation: Derivation? {
        guard let expression = derivationExpression else { return nil }
        switch DerivationForm.keyPath(of: expression).node {
        case .keyPath(nil, let path): return Derivation(path: path)
        case .function(_, let arguments):
            guard arguments.count == 1, case .keyPath(nil, let path) = arguments[0].node,
                let dot = path.firstIndex(of: ".")
            else { return nil }
            return .function(relationship: String(path[..<dot]))
        default: return nil
        }
    }
}

extension Derivation {
    fileprivate init?(path: String) {
        let keys = path.split(separator: ".").map(String.init)
        switch keys.count {
        case 2 where keys[1] == "@count": self = .count(relationship: keys[0])
        case 2: self = .path(relationship: keys[0], attribute: keys[1])
        case 3 where keys[1] == "@sum": self = .sum(relationship: keys[0], attribute: keys[2])
        default: return nil
        }
    }
}

extension PropertySlot {
    /// How the attribute's value follows from other rows; nil if it does not.
    var derivation: Derivation? {
        (property as? NSDerivedAttributeDescription)?.derivation
    }
}
