/// What the plugin tells the generator.
public struct GeneratorOptions: Sendable {
    /// A source file of the target, and the file for its accessors; none if it has no managed
    /// members.
    public struct Source: Sendable {
        /// The source file.
        public var path: String
        /// The file to write.
        public var output: String?

        /// A source file and what is made of it.
        public init(path: String, output: String?) {
            self.path = path
            self.output = output
        }
    }

    /// The module that is being built.
    public var moduleName = ""
    /// The package's name, for `package` access.
    public var packageName = "package"
    /// The compiler.
    public var compiler = "swiftc"
    /// A folder for the generator's own files.
    public var workFolder = ""
    /// Compilation conditions.
    public var conditions: [String] = []
    /// The target's sources.
    public var sources: [Source] = []
    /// The file for the list of properties that key-value access finds; none if empty.
    public var keyedOutput = ""
    /// The file for names of classes that would be ambiguous; none if empty.
    public var typeNamesOutput = ""
    /// The source folders of the modules that the target stands on, by module.
    public var dependencies: [(name: String, folder: String)] = []

    /// Empty options.
    public init() {}

    /// Reads a command line: `--module NAME --package NAME --compiler PATH --work FOLDER`
    /// `--keyed OUTPUT --type-names OUTPUT` `--condition NAME… --dependency NAME FOLDER… --source PATH… --generate PATH OUTPUT…`.
    ///
    /// - Throws: ``UsageError``.
    public init(arguments: [String]) throws {
        var rest = arguments[...]
        func next(_ option: String) throws -> String {
            guard let value = rest.popFirst() else {
                throw UsageError(description: "\(option): a value is missing")
            }
            return value
        }
        while let option = rest.popFirst() {
            switch option {
            case "--module": moduleName = try next(option)
            case "--package": packageName = try next(option)
            case "--compiler": compiler = try next(option)
            case "--work": workFolder = try next(option)
            case "--keyed": keyedOutput = try next(option)
            case "--type-names": typeNamesOutput = try next(option)
            case "--condition": conditions.append(try next(option))
            case "--dependency": dependencies.append((try next(option), try next(option)))
            case "--source": sources.append(Source(path: try next(option), output: nil))
            case "--generate":
                sources.append(Source(path: try next(option), output: try next(option)))
            default: throw UsageError(description: "\(option): no such option")
            }
        }
    }
}

/// A command line that can't be read.
public struct UsageError: Error, CustomStringConvertible {
    /// What is wrong.
    public let description: String
}
