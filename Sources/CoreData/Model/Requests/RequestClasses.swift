/// Lets casts between the classes of fetch requests succeed as they do on Apple's platforms.
///
/// There, generic parameters of Objective-C classes are erased: a request of any result type is an
/// `NSFetchRequest<NSFetchRequestResult>`, and one of that type can be cast to that of its objects.
/// Swift's classes know their parameters, so two things are arranged here, by `ObjectClass`:
///
/// - `NSFetchRequest<any NSFetchRequestResult>` becomes the superclass of each other
///   `NSFetchRequest<…>`; so it is with results controllers
///   and results of asynchronous fetches. All have the same layout.
/// - A request that is made as one of any result type takes the class of its entity's objects.
///
/// The compiler holds a cast between the two for impossible unless it goes by `AnyObject`, and in
/// optimized builds some of these too; `mergectl port` writes calls of `unsafeBitCast`, see
/// `ErasedCasts.swift`. Members and functions with a request among their arguments learn the
/// result type from its class, so that it may be another one than that of the variable; since all
/// are single references, an array of the one serves as one of the other.
///
/// > Threading: Any thread.
enum RequestClasses {
    private static let linked = Locked<Set<ObjectIdentifier>>([])

    /// Makes a generic class a subclass of the same one for any result type.
    static func link(_ special: AnyClass, under general: AnyClass) {
        guard
            ObjectIdentifier(special)
                != ObjectIdentifier(NSFetchRequest<any NSFetchRequestResult>.self)
        else { return }
        // Both steps under the lock: a thread that finds the class known may cast at once, and the
        // superclass has to be set by then.
        linked.withLock { linked in
            guard linked.insert(ObjectIdentifier(special)).inserted else { return }
            ObjectClass.setSuperclass(of: special, to: general)
        }
    }

    /// Makes the class of requests of a result type a subclass of that of any result type.
    static func link<Result: NSFetchRequestResult>(_: Result.Type) {
        link(NSFetchRequest<Result>.self, under: NSFetchRequest<any NSFetchRequestResult>.self)
    }

    /// Gives a request of any result type the class of requests for objects of a class.
    ///
    /// - Returns: False for a request of another type.
    static func specialize(
        _ request: NSPersistentStoreRequest,
        for objectClass: any RequestedClass.Type
    ) -> Bool {
        guard
            ObjectIdentifier(type(of: request))
                == ObjectIdentifier(NSFetchRequest<any NSFetchRequestResult>.self)
        else {
            return false
        }
        return ObjectClass.set(objectClass.requestClass, of: request)
    }

    /// Gives a request the class of requests for another type of results, unless that is any.
    ///
    /// A request of a client's class keeps it.
    static func retype<Result: NSFetchRequestResult>(
        _ request: any AnyFetchRequest,
        as type: Result.Type
    ) {
        let current = ObjectIdentifier(Swift.type(of: request))
        let general = ObjectIdentifier(NSFetchRequest<any NSFetchRequestResult>.self)
        guard ObjectIdentifier(NSFetchRequest<Result>.self) != general,
            current == general || linked.withLock({ $0.contains(current) })
        else { return }
        link(Result.self)
        ObjectClass.set(NSFetchRequest<Result>.self, of: request)
    }
}

/// A class whose instances requests can ask for: the class of managed objects.
protocol RequestedClass: AnyObject {
    /// The class of requests for objects of this class.
    static var requestClass: AnyClass { get }
}
