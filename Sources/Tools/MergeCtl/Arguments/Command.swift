/// A subcommand: its syntax, and what it does.
protocol Command {
    static var syntax: CommandSyntax { get }
    /// Runs the command off the main thread, while the main queue drains.
    ///
    /// - Throws: ``UsageError``, or what went wrong: the tool ends with code 1 and its sentence.
    static func run(_ arguments: ParsedArguments) throws
}
