import Foundation

/// A progress object on its way to another thread, which `Progress` is made for.
struct UncheckedProgress: @unchecked Sendable {
    // @unchecked: constant, and `Progress` is documented to be safe on any thread.
    let progress: Progress?
}
