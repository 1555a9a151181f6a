import Foundation

/// One measurement: what, on which layout, over which store.
public struct RunSpecification: Codable, Hashable, Sendable {
    /// The layout's name, or ``StackLayout/bareName``.
    public var layout: String
    /// What is done.
    public var workload: Workload
    /// The size; how many rows that makes is the workload's to say.
    public var rowCount: Int
    /// The settings of the workload.
    public var settings: WorkloadSettings
    /// Which of the repetitions it is, from 0.
    public var round: Int
    /// A folder with a store that holds the rows from before; it is copied, not changed.
    public var template: URL
}
