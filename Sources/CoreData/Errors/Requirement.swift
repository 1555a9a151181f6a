/// Stops the program with a sentence if a condition does not hold, which is a mistake of the
/// programmer.
///
/// Swift's `precondition` stops optimized programs without its text: their users would see an
/// illegal instruction. So this and `fatalError`, which does print, are used in place of
/// `precondition` and `preconditionFailure`. A condition that holds costs its test.
@inline(__always) func require(
    _ condition: @autoclosure () -> Bool,
    _ sentence: @autoclosure () -> String,
    file: StaticString = #file,
    line: UInt = #line
) {
    if !condition() { fatalError(sentence(), file: file, line: line) }
}
