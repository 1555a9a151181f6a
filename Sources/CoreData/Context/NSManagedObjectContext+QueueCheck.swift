/// What concurrency debugging stops.
extension NSManagedObjectContext {
    /// Traps off this context's queue, if concurrency debugging is on.
    ///
    /// Compares queues, not threads: under an `async` main on Linux, main-queue work runs off the
    /// main thread. What confinement contexts are used from is not known here.
    @inline(__always) func checkQueue(_ member: StaticString = #function) {
        if ConcurrencyDebug.isOn { stopOffQueue(member) }
    }

    @inline(never) private func stopOffQueue(_ member: StaticString) {
        guard let queue else { return }
        // The name that Apple's framework stops with: it is what developers search for.
        require(
            ThreadPlaces.isInside(queue),
            "__Multithreading_Violation_AllThatIsLeftToUsIsHonor__: \(member) of \(self) or one of "
                + "its objects was called off the context's queue; call it inside perform(_:) or "
                + "performAndWait(_:)."
        )
    }
}
