#if PostgreSQL
import CPostgreSQL
import Foundation

/// A connection to a server of PostgreSQL by libpq alone: what the store is measured beside.
///
/// > Threading: One thread at a time.
///
/// @unchecked: each user has a connection of its own.
final class BareServer: @unchecked Sendable {
    private let handle: OpaquePointer

    init(_ url: URL) throws {
        guard let handle = PQconnectdb(url.absoluteString) else {
            throw BenchmarkError.server("memory is short")
        }
        self.handle = handle
        guard PQstatus(handle) == CONNECTION_OK else { throw failure() }
        // They would go to standard error.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
    }

    deinit { PQfinish(handle) }

    /// Runs statements in one round trip, as one transaction.
    ///
    /// - Returns: The first value of the last result, if it is a number.
    @discardableResult
    func run(_ sql: String) throws -> Int64? { try take(PQexec(handle, sql)) }

    /// Runs a statement over columns of rows.
    func run(_ sql: String, _ columns: [BareColumn]) throws {
        // The pointers have to last as long as the call.
        let values = columns.map { column in
            let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: column.bytes.count)
            _ = copy.initialize(from: column.bytes.lazy.map { CChar(bitPattern: $0) })
            return copy
        }
        defer { values.forEach { $0.deallocate() } }
        _ = try take(
            PQexecParams(
                handle,
                sql,
                Int32(columns.count),
                columns.map(\.type),
                values.map { UnsafePointer($0.baseAddress) },
                values.map { Int32($0.count) },
                values.map { _ in 1 },
                1
            )
        )
    }

    /// Waits until somebody notifies.
    ///
    /// - Returns: Whether it was within a second.
    func waitForNotification() throws -> Bool {
        let limit = Date(timeIntervalSinceNow: 1)
        while limit.timeIntervalSinceNow > 0 {
            guard PQconsumeInput(handle) == 1 else { throw failure() }
            if let notification = PQnotifies(handle) {
                PQfreemem(notification)
                return true
            }
            var place = pollfd(fd: PQsocket(handle), events: Int16(POLLIN), revents: 0)
            _ = poll(&place, 1, 100)
        }
        return false
    }

    private func take(_ result: OpaquePointer?) throws -> Int64? {
        defer { PQclear(result) }
        let status = PQresultStatus(result)
        guard status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK else { throw failure() }
        guard PQntuples(result) > 0, PQfformat(result, 0) == 0 else { return nil }
        return PQgetvalue(result, 0, 0).flatMap { Int64(String(cString: $0)) }
    }

    private func failure() -> BenchmarkError {
        .server(String(cString: PQerrorMessage(handle)))
    }
}

/// A column of rows as libpq sends it: an array in binary form.
struct BareColumn {
    let type: Oid
    private(set) var bytes: [UInt8]

    init(_ values: some Collection<Int64>) {
        self.init(1_016, of: 20, values.count)
        for value in values { append(value) }
    }

    init(_ values: some Collection<Double>) {
        self.init(1_022, of: 701, values.count)
        for value in values { append(Int64(bitPattern: value.bitPattern)) }
    }

    init(_ values: some Collection<String>) {
        self.init(1_009, of: 25, values.count)
        for value in values {
            append32(value.utf8.count)
            bytes += value.utf8
        }
    }

    /// Begins an array of one dimension without NULL (src/include/utils/array.h of PostgreSQL).
    private init(_ type: Oid, of element: Int, _ count: Int) {
        self.type = type
        bytes = []
        for number in [1, 0, element, count, 1] { append32(number) }
    }

    private mutating func append(_ value: Int64) {
        append32(8)
        withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
    }

    private mutating func append32(_ value: Int) {
        withUnsafeBytes(of: Int32(value).bigEndian) { bytes += $0 }
    }
}
#endif
