import CoreData
import MergeStack

/// The layouts of MergeStack.
extension StackLayout {
    /// Main and throwaway background contexts on one coordinator, merged by notification.
    public static let notificationMerge = StackLayout(
        name: "notification-merge",
        title: "Notification merge",
        summary: "Main and background contexts on one coordinator; saves are merged into main."
    ) { model, store in
        MeasuredContextStack(try NotificationMergeStack(model: model, stores: [store]))
    }

    /// One context for everything.
    public static let singleContext = StackLayout(
        name: "single-context",
        title: "Single context",
        summary: "Everything in the main context, on the main queue."
    ) { model, store in
        MeasuredContextStack(try SingleContextStack(model: model, stores: [store]))
    }

    /// Background contexts as children of main.
    public static let parentChild = StackLayout(
        name: "parent-child",
        title: "Parent and child",
        summary: "Background contexts are children of main, which saves to the store."
    ) { model, store in
        MeasuredContextStack(try ParentChildStack(model: model, stores: [store]))
    }

    /// A private writer below main, background contexts above it.
    public static let privateWriter = StackLayout(
        name: "private-writer",
        title: "Private writer",
        summary: "A private context saves to the store; main is its child, background contexts "
            + "are main's."
    ) { model, store in
        MeasuredContextStack(try PrivateWriterStack(model: model, stores: [store]))
    }

    /// A private root with main and the background contexts as its children.
    public static let perThread = StackLayout(
        name: "per-thread",
        title: "Per thread",
        summary: "A private root saves to the store; main and the background contexts are its "
            + "children, and the root's saves are merged into main."
    ) { model, store in
        MeasuredContextStack(try PerThreadStack(model: model, stores: [store]))
    }

    /// All five.
    public static let all = [
        notificationMerge, singleContext, parentChild, privateWriter, perThread,
    ]
}
