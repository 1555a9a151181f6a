/// The parent store of a context: its coordinator, or its parent context.
extension NSManagedObjectContext {
    /// A context as its children see it; nil once the last of them is gone.
    struct AsParent {
        weak var parent: ParentContext?
    }

    /// `parent`.
    var baseParent: NSManagedObjectContext? {
        get { (parentSource as? ParentContext)?.context }
        set {
            guard let newValue else {
                if parent != nil { attach(to: nil) }
                return
            }
            var ancestor: NSManagedObjectContext? = newValue
            // In a circle each request would ask the next context for ever.
            while let current = ancestor {
                require(current !== self, "A context can't be its own parent.")
                ancestor = current.parent
            }
            attach(to: newValue.sourceForChildren)
        }
    }

    private var sourceForChildren: ParentContext {
        // All children share one, wherever they are made. It holds this context and they hold it,
        // so that the reference to it is weak.
        asParent.withLock { asParent in
            if let parent = asParent.parent { return parent }
            let made = ParentContext(self)
            asParent.parent = made
            return made
        }
    }

    /// Sets the parent store.
    func attach(to newSource: (any ContextParent)?) {
        guard newSource !== parentSource else { return }
        require(
            registries.isEmpty && storeRegistries.isEmpty,
            "The context has objects of another coordinator or parent already: reset() it first."
        )
        parentSource?.removeFollower(self)
        parentSource?.contexts.remove(self)
        parentSource = newSource
        newSource?.contexts.add(self)
        // The context has no objects yet: what was promoted before is none of its business.
        adoptedPromotions = newSource?.promotions?.count ?? 0
        if automaticallyMergesChangesFromParent { newSource?.addFollower(self) }
    }

    /// Begins to merge what others save, or ends it, as `automaticallyMergesChangesFromParent` says.
    func followParent() {
        if automaticallyMergesChangesFromParent {
            parentSource?.addFollower(self)
        } else {
            parentSource?.removeFollower(self)
        }
    }

    /// What the context reads from and saves to.
    var source: any ContextParent {
        guard let parentSource else {
            fatalError(
                "The context has neither a persistentStoreCoordinator nor a parent: set one before "
                    + "the context is used."
            )
        }
        return parentSource
    }

    /// The coordinator, which everything but making objects of no context needs.
    var coordinator: NSPersistentStoreCoordinator {
        guard let persistentStoreCoordinator else {
            fatalError(
                "The context has no persistentStoreCoordinator: set it before the context is used."
            )
        }
        return persistentStoreCoordinator
    }
}
