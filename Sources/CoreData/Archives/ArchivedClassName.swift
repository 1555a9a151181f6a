/// The names that classes have in archives.
enum ArchivedClassName {
    /// The module and the class; Foundation's classes go by themselves.
    ///
    /// `NSStringFromClass` would stop the program for a private or nested class; what the runtime
    /// puts between module and name of a private one differs from run to run, and is left out.
    static func name(of type: AnyClass) -> String {
        let parts = String(reflecting: type).split(separator: ".")
            .filter { !$0.hasPrefix("(unknown context") }
        return parts.first == "Foundation"
            ? parts.dropFirst().joined(separator: ".") : parts.joined(separator: ".")
    }
}
