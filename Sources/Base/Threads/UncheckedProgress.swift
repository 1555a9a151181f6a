import Foundation

/// A progress object on its way to another thread, which `Progress` is made for.
package struct UncheckedProgress: @unchecked Sendable {
    // @unchecked: constant, and `Progress` is documented to be safe on any thread.
    package let progress: Progress?

    package init(progress: Progress?) { self.progress = progress }
}
