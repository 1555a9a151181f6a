import Dispatch
import StoreInspection
import Threads

/// Prints the pages of an answer while the next ones are read: to read a page and to print it take
/// about as long, and may be done by two processors.
///
/// > Threading: Pages come from one thread at a time; they are printed in their order on a queue.
final class PagePipeline: @unchecked Sendable {
    // @unchecked: `printer` is touched only on `queue`, and after `finish()` by its owner.
    private let printer: RowPrinter
    private let queue = DispatchQueue(label: "mergectl.pages")
    /// Bounds the memory: one page is printed and one waits while the next is read.
    private let room = DispatchSemaphore(value: 2)
    private let failure = Guarded<(any Error)?>(nil)

    init(_ printer: RowPrinter) { self.printer = printer }

    /// A page that its reader keeps nothing of.
    private struct Page: @unchecked Sendable {
        // @unchecked: the values are immutable, and nobody else has the arrays.
        let table: ObjectQuery.Table
    }

    /// Hands a page on.
    ///
    /// - Throws: What printing an earlier page has thrown.
    func print(_ table: ObjectQuery.Table) throws {
        try throwFailure()
        room.wait()
        let page = Page(table: table)
        queue.async { [self] in
            defer { room.signal() }
            guard failure.withLock({ $0 }) == nil else { return }
            do {
                try printer.print(page.table.rows, page.table.columns)
            } catch {
                failure.withLock { $0 = error }
            }
        }
    }

    /// Waits until all pages are printed.
    ///
    /// - Throws: What printing one of them has thrown.
    func finish() throws {
        queue.sync {}
        try throwFailure()
    }

    private func throwFailure() throws {
        if let error = failure.withLock({ $0 }) { throw error }
    }
}
