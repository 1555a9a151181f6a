import SwiftSource

/// How far a declaration is seen.
enum Access: Int, Comparable {
    case `private`, `fileprivate`, `internal`, package, `public`, open

    init?(word: String) {
        switch word {
        case "private": self = .private
        case "fileprivate": self = .fileprivate
        case "internal": self = .internal
        case "package": self = .package
        case "public": self = .public
        case "open": self = .open
        default: return nil
        }
    }

    static func < (left: Access, right: Access) -> Bool { left.rawValue < right.rawValue }
}

/// What stands before a declaration.
struct Prefix {
    var access: Access?
    var setterAccess: Access?
    var isManaged = false
    var isOverride = false
    /// Whether it belongs to the type, not to each instance.
    var isStatic = false
    /// Whether Objective-C sees it: `@objc` or `dynamic`.
    var isExposed = false
    /// `@objcMembers`.
    var exposesMembers = false
    /// Whether it is confined to a global actor.
    var isIsolated = false
    /// Whether it has an attribute that may be a macro, which makes members.
    var mayBeExpanded = false
    /// The attributes that say where and how the declaration may be used, as they are written.
    var availability: [String] = []
    /// The selector of `@objc(…)`, also of one that is commented out or in an inactive `#if`.
    var selector: String?
}

/// A type, extension or type alias.
final class Declaration {
    enum Kind: String {
        case `class`, `struct`, `enum`, actor, `protocol`, `extension`, `typealias`
    }

    let kind: Kind
    /// The name; of an extension, the extended type as it is written.
    let name: String
    let prefix: Prefix
    let line: Int
    /// The conditions of the `#if`s that it stands in, within its parent.
    let conditions: [String]
    /// `<T: P>`, or nothing.
    var genericParameters = ""
    /// The types after the colon, as they are written.
    var inherited: [String] = []
    /// `where …`, or nothing.
    var whereClause = ""
    /// What a type alias stands for.
    var aliasedType = ""

    // The file keeps its declarations and each declaration its children; references back must not.
    unowned let file: ParsedFile
    /// The place among the declarations of the file.
    let ordinal: Int
    weak var parent: Declaration?
    var children: [Declaration] = []
    var properties: [ManagedProperty] = []
    var functions: [ManagedFunction] = []
    /// The instance variables that are not managed.
    var variables: [Variable] = []
    /// What key-value coding finds by its name.
    var conventions: [NamedConvention] = []
    /// The methods that Objective-C sees, and that give something.
    var exposedMethods: [ExposedMethod] = []
    /// Whether its body has an initializer, under whatever condition, or a macro that may make one.
    var mayHaveInitializers = false

    init(
        kind: Kind,
        name: String,
        prefix: Prefix,
        line: Int,
        conditions: [String],
        file: ParsedFile
    ) {
        self.kind = kind
        self.name = name
        self.prefix = prefix
        self.line = line
        self.conditions = conditions
        self.file = file
        ordinal = file.takeOrdinal()
    }

    /// The name with those of the types around it.
    var qualifiedName: String { parent.map { "\($0.qualifiedName).\(name)" } ?? name }
    /// The declarations around it, from the outside, and itself.
    var chain: [Declaration] { (parent?.chain ?? []) + [self] }
    /// All declarations in it, and itself.
    var tree: [Declaration] { [self] + children.flatMap(\.tree) }
    var hasManagedMembers: Bool { !properties.isEmpty || !functions.isEmpty }
}

/// An `@NSManaged` property.
struct ManagedProperty {
    let name: String
    let type: String
    let prefix: Prefix
    let conditions: [String]
    let line: Int
    let column: Int
}

/// An instance variable that is not `@NSManaged`.
struct Variable {
    /// As it is written, with backticks.
    let name: String
    let prefix: Prefix
    /// Whether it is written over `value(forKey:)` or `setValue(_:forKey:)` of its own key.
    let standsOnOwnKey: Bool
    let conditions: [String]

    /// What Objective-C calls it: the name in `@objc(name)`, or its own.
    var key: String {
        guard let selector = prefix.selector, !selector.contains(":") else {
            return name.filter { $0 != "`" }
        }
        return selector
    }
}

/// A member that key-value coding finds by its name: `validateTitle(_:)`,
/// `validateValue(_:forKey:)`, `keyPathsForValuesAffectingTitle`.
struct NamedConvention {
    enum Kind: Equatable {
        /// The label of its parameter, `_` for none; whether it throws.
        case validator(label: String, throws: Bool)
        case validationOfAllKeys
        /// Whether it is a function.
        case dependencies(isFunction: Bool)
    }

    let name: String
    let kind: Kind
    let prefix: Prefix
    let conditions: [String]

    static let validation = "validate"
    static let dependencies = "keyPathsForValuesAffecting"

    /// `title` of `validateTitle`, `URL` of `validateURL`; nil for a name that has no key.
    var key: String? {
        let start = name.hasPrefix(Self.validation) ? Self.validation : Self.dependencies
        let rest = name.dropFirst(start.count)
        guard let first = rest.first, first.isUppercase else { return nil }
        // The method's name has the key with a capital letter, from which the key can't be told for
        // certain: two capitals count as an acronym.
        let isAcronym = rest.dropFirst().first?.isUppercase == true
        return isAcronym ? String(rest) : first.lowercased() + rest.dropFirst()
    }
}

/// A method with a result that Objective-C sees, and so expressions of mapping models.
struct ExposedMethod {
    let name: String
    /// `_` for none.
    let labels: [String]
    let isThrowing: Bool
    let prefix: Prefix
    let conditions: [String]

    /// Its name in Objective-C: that in `@objc(name:)`, or what the compiler derives from Swift's.
    var selector: String {
        prefix.selector ?? ObjectiveCSelector.name(name.filter { $0 != "`" }, labels)
    }
}

/// An `@NSManaged` function.
struct ManagedFunction {
    struct Parameter {
        /// `_` for none.
        let label: String
        let type: String
    }

    let name: String
    let parameters: [Parameter]
    let returnType: String?
    let prefix: Prefix
    let conditions: [String]
    let line: Int
    let column: Int
}

/// An `import`, as it is written and with the name of the module.
struct ImportStatement {
    let text: String
    let module: String
    let conditions: [String]
}

/// The declarations of one file.
final class ParsedFile {
    let path: String
    var imports: [ImportStatement] = []
    var declarations: [Declaration] = []

    private var nextOrdinal = 0

    init(path: String) { self.path = path }

    /// A number that no other declaration of the file has.
    func takeOrdinal() -> Int {
        nextOrdinal += 1
        return nextOrdinal
    }

    var allDeclarations: [Declaration] { declarations.flatMap(\.tree) }
    /// The name without folder and extension.
    var stem: String {
        let name = path.split(separator: "/").last ?? ""
        return name.hasSuffix(".swift") ? String(name.dropLast(6)) : String(name)
    }
}
