/// Someone who is told before and after each change of a value.
protocol ChangeObserver: AnyObject {
    func willChange()
    /// - Parameter isReal: Whether the value is another one.
    func didChange(isReal: Bool)
}

/// Watches the properties along a key path, and those that they are computed from.
///
/// > Threading: On the queue of the object's context.
final class PathFollower: ChangeObserver {
    /// A path from an object, by its identity.
    private struct Place: Hashable {
        let object: ObjectIdentifier
        let path: String
    }

    // Weak, for the list of the object's observers holds this as long as it observes.
    private weak var object: NSManagedObject?
    private let key: String
    private let rest: String?
    private let observer: any ChangeObserver
    /// The first key, and the keys of the same object that its value is computed from, by way of
    /// others or not.
    private var keys: Set<String> = []
    /// What is followed already on the way here, this path included.
    private var trail: Set<Place>
    /// On the object that the first key leads to.
    private var next: PathFollower?
    /// On what of other objects the first key's value is computed from.
    private var causes: [PathFollower] = []

    convenience init(_ object: NSManagedObject, _ path: String, _ observer: any ChangeObserver) {
        self.init(object, path, observer, after: [])
    }

    private init(
        _ object: NSManagedObject,
        _ path: String,
        _ observer: any ChangeObserver,
        after trail: Set<Place>
    ) {
        self.object = object
        self.observer = observer
        let parts = path.split(separator: ".", maxSplits: 1)
        key = parts.first.map(String.init) ?? path
        rest = parts.count > 1 ? String(parts[1]) : nil
        self.trail = trail.union([Place(object: ObjectIdentifier(object), path: path)])
        let dependencies = Self.dependencies(of: key, in: type(of: object))
        keys = dependencies.keys
        if rest == nil {
            // Whoever comes back to one of them would tell a second time of its changes.
            self.trail.formUnion(keys.map { Place(object: ObjectIdentifier(object), path: $0) })
        }
        for key in keys { object.addObserver(self, forKey: key) }
        followValue()
        causes = dependencies.paths.compactMap { makeFollower(object, $0, self) }
    }

    /// What a key's value is computed from, in whatever number of steps; keys may name each other.
    ///
    /// - Returns: The keys, with the one that is asked for, and the paths to other objects.
    private static func dependencies(
        of key: String,
        in type: NSManagedObject.Type
    ) -> (keys: Set<String>, paths: Set<String>) {
        var keys: Set = [key], paths: Set<String> = [], open = [key]
        while let key = open.popLast() {
            for path in type.keyPathsForValuesAffectingValue(forKey: key) {
                if path.contains(".") {
                    paths.insert(path)
                } else if keys.insert(path).inserted {
                    open.append(path)
                }
            }
        }
        return (keys, paths)
    }

    /// A follower that goes on from here; nil where a path has come back to what is followed.
    private func makeFollower(
        _ object: NSManagedObject,
        _ path: String,
        _ observer: any ChangeObserver
    ) -> PathFollower? {
        guard !trail.contains(Place(object: ObjectIdentifier(object), path: path)) else {
            return nil
        }
        return PathFollower(object, path, observer, after: trail)
    }

    func stop() {
        for key in keys { object?.removeObserver(self, forKey: key) }
        next?.stop()
        for cause in causes { cause.stop() }
        next = nil
        causes = []
    }

    func willChange() { observer.willChange() }

    func didChange(isReal: Bool) {
        // The object in the middle may be another one now: its observers move along.
        next?.stop()
        followValue()
        observer.didChange(isReal: isReal)
    }

    private func followValue() {
        guard let rest, let object else { return }
        // The rest tells the observer itself: by way of this one, each change at the path's end
        // would have the path followed anew.
        next = (object.value(forKey: key) as? NSManagedObject).flatMap {
            makeFollower($0, rest, observer)
        }
    }
}
