import Testing

@testable import MergeStack

@Suite struct ConsistencyRequestTests {
    private static let argument = "-com.apple.CoreData.ConsistencyCheck"

    /// As the runtime reads them: a context that does not check itself need not be asked.
    @Test(
        arguments: [
            ([], [:], false), ([argument, "1"], [:], true), ([argument, "report"], [:], true),
            ([argument, "0"], [:], false), ([argument], [:], false),
            ([argument, "1"], ["COREDATA_CONSISTENCY_CHECK": "0"], false),
            ([], ["COREDATA_CONSISTENCY_CHECK": "1"], true),
            ([], ["COREDATA_CONSISTENCY_CHECK": ""], false),
        ] as [([String], [String: String], Bool)]
    )
    func theCheckIsAskedForByItsValue(
        arguments: [String],
        environment: [String: String],
        isAsked: Bool
    ) {
        #expect(ConsistencyRequest.isAsked(["program"] + arguments, environment) == isAsked)
    }
}
