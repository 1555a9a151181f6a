/// What concurrency debugging stops.
extension NSManagedObject {
    /// Stops the program off the queue of the object's context, if concurrency debugging is on.
    ///
    /// Where an object belongs, and what it is, can be asked anywhere: its ID, entity and context.
    @inline(__always) final func checkQueue(_ member: StaticString) {
        if ConcurrencyDebug.isOn { registry.context?.checkQueue(member) }
    }
}
