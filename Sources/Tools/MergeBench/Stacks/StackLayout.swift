import CoreData

/// A layout of contexts under the name that reports show, and how to make it over a store.
public struct StackLayout: Sendable {
    /// What tells it apart on the command line and in files, for example `parent-child`.
    public let name: String
    /// What a reader sees.
    public let title: String
    /// A sentence on who is whose parent.
    public let summary: String
    /// Makes the stack over a store that is there.
    public let make:
        @Sendable (NSManagedObjectModel, NSPersistentStoreDescription) throws -> any MeasuredStack

    /// A layout.
    ///
    /// - Parameters:
    ///   - name: Small letters, digits and hyphens; ``bareName`` is taken.
    ///   - title: What a reader sees.
    ///   - summary: A sentence on the layout.
    ///   - make: Makes the stack; called off the main queue.
    public init(
        name: String,
        title: String,
        summary: String,
        make:
            @escaping @Sendable (NSManagedObjectModel, NSPersistentStoreDescription) throws ->
            any MeasuredStack
    ) {
        self.name = name
        self.title = title
        self.summary = summary
        self.make = make
    }

    /// The name of the baseline without any context.
    public static let bareName = "bare"
    /// The baseline's title.
    static let bareTitle = "Bare SQLite"
}
