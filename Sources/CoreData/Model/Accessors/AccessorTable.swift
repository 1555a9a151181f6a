import Synchronization

/// Which slot each accessor of the process means in one entity, so that a typed access costs no
/// look-up by name.
///
/// Made when an accessor is first used with the entity, and again when accessors that have come
/// since are.
///
/// > Threading: Any thread.
final class AccessorTable: @unchecked Sendable {
    // @unchecked: tables are immutable once published; the list of old ones is under the lock.

    /// A count, and then that many entries.
    private let entries = Atomic<UnsafePointer<UInt32>?>(nil)
    /// Replaced tables, which other threads may still read.
    private let tables = Locked<[UnsafeMutablePointer<UInt32>]>([])

    deinit {
        tables.withLock { tables in
            for table in tables { table.deallocate() }
        }
    }

    /// A count, and then that many entries, with that of an accessor among them.
    func entries(with key: Int, _ layout: EntityLayout) -> UnsafePointer<UInt32>? {
        _ = entry(key, layout)
        return entries.load(ordering: .acquiring)
    }

    /// The entry of an accessor.
    @inline(__always) func entry(_ key: Int, _ layout: EntityLayout) -> AccessorEntry {
        // A key beyond the end is of a name that got its number after the table was made.
        if let entries = entries.load(ordering: .acquiring), key < Int(entries[0]) {
            return AccessorEntry(rawValue: entries[key + 1])
        }
        return rebuilt(layout, key)
    }

    @inline(never) private func rebuilt(_ layout: EntityLayout, _ key: Int) -> AccessorEntry {
        var names: [(name: String, entry: AccessorEntry)] = []
        var ownNames = Set<String>()
        for slot in layout.slots {
            ownNames.insert(slot.name)
            names += AccessorEntry.names(of: slot)
        }
        // A property whose name looks like an accessor of another one comes first.
        names.removeAll { name, entry in
            ownNames.contains(name) && layout.slots[entry.slot].name != name
        }
        let (known, count) = AccessorNames.numbers(of: names)
        let table = UnsafeMutablePointer<UInt32>.allocate(capacity: count + 1)
        table.initialize(repeating: AccessorEntry.missing.rawValue, count: count + 1)
        table[0] = UInt32(count)
        for (number, entry) in known { table[number + 1] = entry.rawValue }
        // Kept as long as the layout: another thread may still read the table that this one
        // replaces.
        tables.withLock { $0.append(table) }
        // With release, so that a thread that loads the pointer finds the table filled.
        entries.store(UnsafePointer(table), ordering: .releasing)
        // Within the table: the key had its number before the names were counted. Of two threads
        // that come here at once either table may stay; a key that it lacks has it made again.
        return AccessorEntry(rawValue: table[key + 1])
    }
}
