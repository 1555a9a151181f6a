#if PostgreSQL
import CPostgreSQL
import CSQLite
import Foundation

/// A type that a column of a store has on a server.
enum PostgreSQLType: Sendable {
    case integer, real, text, bytes

    /// As table definitions name it.
    var name: String {
        switch self {
        case .integer: "int8"
        case .real: "float8"
        case .text: "text"
        case .bytes: "bytea"
        }
    }

    /// The number of the type; pg_type.dat of PostgreSQL has them, and they never change.
    var oid: Oid {
        switch self {
        case .integer: 20
        case .real: 701
        case .text: 25
        case .bytes: 17
        }
    }

    /// The number of the type of arrays of it.
    var arrayOid: Oid {
        switch self {
        case .integer: 1016
        case .real: 1022
        case .text: 1009
        case .bytes: 1001
        }
    }
}

/// A value for a `$1` of a statement, in binary form.
struct PostgreSQLParameter: Sendable {
    let type: Oid
    /// Nil for NULL.
    let bytes: [UInt8]?

    /// An integer.
    static func integer(_ value: Int64?) -> PostgreSQLParameter {
        PostgreSQLParameter(type: PostgreSQLType.integer.oid, bytes: value.map(bigEndian))
    }

    static func real(_ value: Double) -> PostgreSQLParameter {
        PostgreSQLParameter(type: PostgreSQLType.real.oid, bytes: bigEndian(value.bitPattern))
    }

    static func text(_ value: String?) -> PostgreSQLParameter {
        PostgreSQLParameter(type: PostgreSQLType.text.oid, bytes: value.map { Array($0.utf8) })
    }

    static func bytes(_ value: Data?) -> PostgreSQLParameter {
        PostgreSQLParameter(type: PostgreSQLType.bytes.oid, bytes: value.map { Array($0) })
    }

    static func uuid(_ value: UUID?) -> PostgreSQLParameter {
        PostgreSQLParameter(
            type: 2950,
            bytes: value.map { withUnsafeBytes(of: $0.uuid) { Array($0) } }
        )
    }

    static func keys(_ keys: some Sequence<Int64>) -> PostgreSQLParameter {
        var array = PostgreSQLArray(.integer)
        for key in keys { array.append(key) }
        return array.parameter
    }

    private static func bigEndian(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.bigEndian) { Array($0) }
    }
}

/// An array of one dimension that becomes one parameter, such as a column of many rows.
///
/// As `array_recv` of PostgreSQL reads it: dimensions, whether there are nulls, the type of the
/// elements, their count, the first index; then each behind its length, which is -1 for a null.
struct PostgreSQLArray: Sendable {
    let type: PostgreSQLType
    private(set) var count = 0
    private var hasNull = false
    /// Room for the head, and the elements.
    private var bytes = [UInt8](repeating: 0, count: Self.headSize)

    private static let headSize = 20

    init(_ type: PostgreSQLType) { self.type = type }

    mutating func append(_ value: Int64) { append(word: UInt64(bitPattern: value)) }

    mutating func append(_ data: Data) { data.withUnsafeBytes { append($0) } }

    /// Appends what SQLite has in a column.
    ///
    /// - Throws: `UnfitValue` for a value that a column of this type can't have.
    mutating func append(_ value: SQLBinding) throws {
        switch (value, type) {
        case (.null, _): appendNull()
        case (.integer(let integer), .integer): append(integer)
        // SQLite makes whole numbers of such columns integers.
        case (.integer(let integer), .real): append(Double(integer))
        case (.real(let real), .real): append(real)
        // Decimal numbers: SQLite has them as whatever number holds them, servers as text.
        case (.integer(let integer), .text): append(String(integer))
        case (.real(let real), .text): append(String(real))
        case (.text(var text), .text):
            try text.withUTF8 { try append(text: UnsafeRawBufferPointer($0)) }
        case (.blob(let data), .bytes): append(data)
        default: throw UnfitValue.otherType
        }
    }

    /// Appends what the row that a statement stands at has in a column, without a value in between.
    ///
    /// - Throws: `UnfitValue` for a value that a column of this type can't have.
    mutating func append(_ row: ResultRow, _ column: Int32) throws {
        let value = row[column]
        switch (sqlite3_value_type(value), type) {
        case (SQLITE_NULL, _): appendNull()
        case (SQLITE_INTEGER, .integer): append(sqlite3_value_int64(value))
        case (SQLITE_INTEGER, .real), (SQLITE_FLOAT, .real): append(sqlite3_value_double(value))
        case (SQLITE_INTEGER, .text): append(String(sqlite3_value_int64(value)))
        case (SQLITE_FLOAT, .text): append(String(sqlite3_value_double(value)))
        case (SQLITE_TEXT, .text): try append(text: Self.bytes(value))
        case (SQLITE_BLOB, .bytes): append(Self.bytes(value))
        default: throw UnfitValue.otherType
        }
    }

    private static func bytes(_ value: OpaquePointer?) -> UnsafeRawBufferPointer {
        // First the value and then its size, as sqlite.org/c3ref/value_blob.html asks for.
        let start = sqlite3_value_blob(value)
        return UnsafeRawBufferPointer(start: start, count: Int(sqlite3_value_bytes(value)))
    }

    private mutating func appendNull() {
        append(size: -1)
        hasNull = true
    }

    private mutating func append(_ real: Double) { append(word: real.bitPattern) }

    private mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    private mutating func append(text: UnsafeRawBufferPointer) throws {
        // A server's text can't have it (22021).
        guard !text.contains(0) else { throw UnfitValue.zeroInText }
        append(text)
    }

    private mutating func append(_ content: UnsafeRawBufferPointer) {
        append(size: content.count)
        bytes.append(contentsOf: content)
    }

    private mutating func append(word: UInt64) {
        count += 1
        // In one piece: a column of numbers has many.
        let words = (
            UInt32(8).bigEndian, UInt32(truncatingIfNeeded: word >> 32).bigEndian,
            UInt32(truncatingIfNeeded: word).bigEndian
        )
        withUnsafeBytes(of: words) { bytes.append(contentsOf: $0) }
    }

    private mutating func append(size: Int) {
        count += 1
        let size = Int32(truncatingIfNeeded: size)
        withUnsafeBytes(of: size.bigEndian) { bytes.append(contentsOf: $0) }
    }

    var parameter: PostgreSQLParameter {
        let words =
            count == 0
            ? [0, 0, Int32(type.oid)]
            : [1, hasNull ? 1 : 0, Int32(type.oid), Int32(truncatingIfNeeded: count), 1]
        var bytes = bytes
        bytes.withUnsafeMutableBytes { head in
            for (place, word) in words.enumerated() {
                head.storeBytes(of: word.bigEndian, toByteOffset: 4 * place, as: Int32.self)
            }
        }
        // One without elements has no dimension.
        if count == 0 { bytes.removeLast(Self.headSize - 4 * words.count) }
        return PostgreSQLParameter(type: type.arrayOid, bytes: bytes)
    }
}

/// A value of a save that a server can't keep.
enum UnfitValue: Error {
    case zeroInText
    case otherType
}
#endif
