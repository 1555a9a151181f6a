/// Runs a block.
///
/// There is no pool without Objective-C: objects go when their last reference does.
///
/// - Parameter body: What to run.
/// - Returns: What the block returns.
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
    try body()
}
