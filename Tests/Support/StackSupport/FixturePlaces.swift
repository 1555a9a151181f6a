/// Places for fixtures that are in use at one time.
///
/// Swift Testing starts all asynchronous tests at once, and most of them wait for the main queue: with
/// a store open each, hundreds of files were. Foundation's `Process` stops a process that has some
/// 1,340 descriptors open (it copies 256 bytes of each entry of `/proc/self/fd`, also of those at the
/// end of the buffer they were read into), and tests run `sqlite3` beside these.
actor FixturePlaces {
    static let shared = FixturePlaces(count: 24)

    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(count: Int) { free = count }

    /// Waits for a place; first come, first served. Who has a place waits for no other one.
    func take() async {
        guard free == 0 else { return free -= 1 }
        await withCheckedContinuation { waiting.append($0) }
    }

    /// Gives a place back, to who waits longest.
    func giveBack() {
        if waiting.isEmpty { free += 1 } else { waiting.removeFirst().resume() }
    }
}
