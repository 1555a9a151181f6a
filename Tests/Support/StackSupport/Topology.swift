import CoreData
import MergeStack
import OutsideLayouts

/// The stacks that one suite runs over: those of the layer, and two that are written outside of it
/// from its public API.
package enum Topology: String, CaseIterable, Sendable, CustomStringConvertible {
    case singleContext, notificationMerge, parentChild, privateWriter, perThread
    case outsideWriter, outsideMerge

    package var description: String { rawValue }

    private var type: any ContextStack.Type {
        switch self {
        case .singleContext: SingleContextStack.self
        case .notificationMerge: NotificationMergeStack.self
        case .parentChild: ParentChildStack.self
        case .privateWriter: PrivateWriterStack.self
        case .perThread: PerThreadStack.self
        case .outsideWriter: OutsideWriterStack.self
        case .outsideMerge: OutsideMergeStack.self
        }
    }

    package func make(
        model: NSManagedObjectModel,
        stores: [NSPersistentStoreDescription]
    ) throws -> any ContextStack {
        try type.init(model: model, stores: stores)
    }

    package func make(coordinator: NSPersistentStoreCoordinator) -> any ContextStack {
        type.init(coordinator: coordinator)
    }
}
