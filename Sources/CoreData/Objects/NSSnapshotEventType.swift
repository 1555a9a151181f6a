/// Why an object's values were replaced as a whole.
public struct NSSnapshotEventType: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Makes a set of reasons of its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The object's insertion was undone.
    public static let undoInsertion = NSSnapshotEventType(rawValue: 1 << 1)
    /// The object's deletion was undone.
    public static let undoDeletion = NSSnapshotEventType(rawValue: 1 << 2)
    /// A change of the object was undone.
    public static let undoUpdate = NSSnapshotEventType(rawValue: 1 << 3)
    /// The context was rolled back.
    public static let rollback = NSSnapshotEventType(rawValue: 1 << 4)
    /// The object was refreshed, or another context's changes were merged into it.
    public static let refresh = NSSnapshotEventType(rawValue: 1 << 5)
    /// A merge policy has changed the object.
    public static let mergePolicy = NSSnapshotEventType(rawValue: 1 << 6)
}

extension NSManagedObject {
    /// Tells an object of a client's class that its values were replaced. What it sets then is no
    /// change, as in `awakeFromFetch()`.
    @inline(__always) final func announce(_ events: NSSnapshotEventType) {
        guard type(of: self) != NSManagedObject.self else { return }
        callAwake(events)
    }

    @inline(never) private func callAwake(_ events: NSSnapshotEventType) {
        let wasAwaking = flags.contains(.awaking)
        flags.insert(.awaking)
        awake(fromSnapshotEvents: events)
        if !wasAwaking { flags.remove(.awaking) }
    }
}
