import CoreData
import Threads

/// The contexts that threads keep, one for each.
///
/// The contexts are owned here, so that they live as long as the stack and not as long as the
/// threads of a pool, which may never end. A thread holds a ticket, which names the stack's
/// generation: a ticket of an older generation is not valid any more.
///
/// > Threading: Any thread.
final class ThreadContexts: Sendable {
    private struct State {
        var generation = 0
        // By ticket, not by thread: a later thread may have the address of one that has ended,
        // while a ticket gives its entry up before its own address is free.
        var contexts: [ObjectIdentifier: NSManagedObjectContext] = [:]
    }

    /// What a thread has; gives its context up when the thread ends.
    private final class Ticket {
        // Weak, for the thread of a pool may hold its ticket for as long as the process lives.
        private weak var owner: ThreadContexts?
        let generation: Int

        init(_ owner: ThreadContexts, generation: Int) {
            self.owner = owner
            self.generation = generation
        }

        var isOfLivingOwner: Bool { owner != nil }

        deinit { owner?.forget(ObjectIdentifier(self), generation: generation) }
    }

    /// All tickets of a thread, by their owners.
    private final class Wallet {
        var tickets: [ObjectIdentifier: Ticket] = [:]
    }

    private static let key = "MergeStack.ThreadContexts"

    private let state = Guarded(State())
    private let make: @Sendable (_ name: String?) -> NSManagedObjectContext

    init(_ make: @escaping @Sendable (_ name: String?) -> NSManagedObjectContext) {
        self.make = make
    }

    func contextForCurrentThread() -> NSManagedObjectContext {
        let thread = Thread.current
        let wallet = thread.threadDictionary[Self.key] as? Wallet ?? Wallet()
        thread.threadDictionary[Self.key] = wallet
        let owner = ObjectIdentifier(self)
        let (generation, known) = state.withLock { state in
            (
                state.generation,
                wallet.tickets[owner].flatMap { state.contexts[ObjectIdentifier($0)] }
            )
        }
        if let known, wallet.tickets[owner]?.generation == generation { return known }
        let context = make(thread.name?.isEmpty == false ? thread.name : nil)
        let ticket = Ticket(self, generation: generation)
        state.withLock { state in
            // A ticket of a generation that has ended meanwhile is not valid the next time.
            if state.generation == generation { state.contexts[ObjectIdentifier(ticket)] = context }
        }
        // A thread of a pool may see many stacks come and go, whose tickets would pile up on it.
        wallet.tickets = wallet.tickets.filter { $0.value.isOfLivingOwner }
        wallet.tickets[owner] = ticket
        return context
    }

    /// Begins a new generation.
    func forgetAll() {
        // Released outside of the lock: a context's deinit may run code that comes back here.
        let forgotten = state.withLock { state in
            state.generation += 1
            defer { state.contexts = [:] }
            return state.contexts
        }
        withExtendedLifetime(forgotten) {}
    }

    private func forget(_ ticket: ObjectIdentifier, generation: Int) {
        let forgotten = state.withLock { state in
            state.generation == generation ? state.contexts.removeValue(forKey: ticket) : nil
        }
        withExtendedLifetime(forgotten) {}
    }
}
