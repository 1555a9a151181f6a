/// What the generator can't do, at a place of a source file.
public struct GeneratorError: Error, CustomStringConvertible {
    /// The source file.
    public let path: String
    /// The line, from 1.
    public let line: Int
    /// The column, from 1.
    public let column: Int
    /// One sentence, with the remedy.
    public let message: String

    init(_ path: String, _ line: Int, column: Int = 1, _ message: String) {
        self.path = path
        self.line = line
        self.column = column
        self.message = message
    }

    /// As compilers print it, so that editors find the place.
    public var description: String { "\(path):\(line):\(column): error: \(message)" }
}
