#if PostgreSQL
import CPostgreSQL
import Foundation

/// The rows that a statement has given, in binary form.
///
/// > Threading: Immutable; any thread.
final class PostgreSQLResult: @unchecked Sendable {
    // @unchecked: libpq's result is read only.

    private let handle: OpaquePointer

    /// - Parameter handle: A result of libpq's, which this owns from now on.
    init(_ handle: OpaquePointer) { self.handle = handle }

    deinit { PQclear(handle) }

    var rowCount: Int { Int(PQntuples(handle)) }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        PQgetisnull(handle, Int32(row), Int32(column)) != 0
    }

    /// A whole number of whatever width; 0 for NULL.
    func integer(_ row: Int, _ column: Int) -> Int64 {
        bytes(row, column) { bytes in
            // Sign-extended from the first byte, for it may be of two, four or eight.
            guard let first = bytes.first else { return 0 }
            var value: Int64 = first & 0x80 == 0 ? 0 : -1
            for byte in bytes { value = value << 8 | Int64(byte) }
            return value
        }
    }

    func real(_ row: Int, _ column: Int) -> Double {
        Double(bitPattern: UInt64(bitPattern: integer(row, column)))
    }

    /// Empty for NULL.
    func text(_ row: Int, _ column: Int) -> String {
        bytes(row, column) { String(decoding: $0, as: UTF8.self) }
    }

    /// Nil for NULL.
    func optionalText(_ row: Int, _ column: Int) -> String? {
        isNull(row, column) ? nil : text(row, column)
    }

    /// Empty for NULL.
    func data(_ row: Int, _ column: Int) -> Data { bytes(row, column) { Data($0) } }

    func uuid(_ row: Int, _ column: Int) -> UUID? {
        bytes(row, column) { bytes in
            guard bytes.count == 16 else { return nil }
            return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
        }
    }

    /// A value of a store's column, as SQLite has it.
    func binding(_ row: Int, _ column: Int, _ type: PostgreSQLType) -> SQLBinding {
        guard !isNull(row, column) else { return .null }
        switch type {
        case .integer: return .integer(integer(row, column))
        case .real: return .real(real(row, column))
        case .text: return .text(text(row, column))
        case .bytes: return .blob(data(row, column))
        }
    }

    /// The elements of an array of one dimension; empty for NULL.
    func integers(_ row: Int, _ column: Int) -> [Int64] {
        elements(row, column) { bytes in
            bytes.reduce(0) { $0 << 8 | Int64($1) }
        }
        .map { $0 ?? 0 }
    }

    /// The elements of an array of one dimension, nil for null ones; empty for NULL.
    func dataElements(_ row: Int, _ column: Int) -> [Data?] {
        elements(row, column) { Data($0) }
    }

    private func elements<Element>(
        _ row: Int,
        _ column: Int,
        _ element: (Slice<UnsafeRawBufferPointer>) -> Element
    ) -> [Element?] {
        bytes(row, column) { bytes in
            // See `PostgreSQLArray.parameter` for the form.
            let headerSize = 20
            guard bytes.count >= headerSize else { return [] }
            func word(_ offset: Int) -> Int {
                Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
            }
            var result: [Element?] = []
            var offset = headerSize
            while offset + 4 <= bytes.count {
                let length = word(offset)
                offset += 4
                guard length >= 0, offset + length <= bytes.count else {
                    result.append(nil)
                    continue
                }
                result.append(element(bytes[offset..<offset + length]))
                offset += length
            }
            return result
        }
    }

    private func bytes<Result>(
        _ row: Int,
        _ column: Int,
        _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        let count = Int(PQgetlength(handle, Int32(row), Int32(column)))
        return body(
            UnsafeRawBufferPointer(
                start: PQgetvalue(handle, Int32(row), Int32(column)),
                count: count
            )
        )
    }
}
#endif
