/// How a command prints what it has found or done.
enum ReportFormat: String, CaseIterable {
    /// For people.
    case text
    /// One object, for programs.
    case json
}
