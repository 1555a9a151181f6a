#if PostgreSQL
import CPostgreSQL
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
struct PostgreSQLArray: Sendable {
    let type: PostgreSQLType
    private(set) var count = 0
    private var hasNull = false
    private var elements: [UInt8] = []

    init(_ type: PostgreSQLType) { self.type = type }

    mutating func append(_ value: Int64) {
        appendHead(8)
        appendBigEndian(value)
    }

    mutating func append(_ data: Data) {
        appendHead(data.count)
        elements += data
    }

    /// Appends what SQLite has in a column.
    ///
    /// - Throws: `UnfitValue` for a value that a column of this type can't have.
    mutating func append(_ value: SQLBinding) throws {
        switch (value, type) {
        case (.null, _):
            appendHead(-1)
            hasNull = true
        case (.integer(let integer), .integer): append(integer)
        // SQLite makes whole numbers of such columns integers.
        case (.integer(let integer), .real): append(Double(integer))
        case (.real(let real), .real): append(real)
        // Decimal numbers: SQLite has them as whatever number holds them, servers as text.
        case (.integer(let integer), .text): append(String(integer))
        case (.real(let real), .text): append(String(real))
        case (.text(let text), .text):
            // A server's text can't have it (22021).
            guard !text.utf8.contains(0) else { throw UnfitValue.zeroInText }
            append(text)
        case (.blob(let data), .bytes): append(data)
        default: throw UnfitValue.otherType
        }
    }

    private mutating func append(_ real: Double) {
        appendHead(8)
        appendBigEndian(real.bitPattern)
    }

    private mutating func append(_ text: String) {
        appendHead(text.utf8.count)
        elements += text.utf8
    }

    private mutating func appendHead(_ byteCount: Int) {
        count += 1
        appendBigEndian(Int32(truncatingIfNeeded: byteCount))
    }

    private mutating func appendBigEndian(_ value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.bigEndian) { elements.append(contentsOf: $0) }
    }

    /// As `array_recv` of PostgreSQL reads it: dimensions, whether there are nulls, the type of the
    /// elements, their count, the first index; then each behind its length, which is -1 for a null.
    var parameter: PostgreSQLParameter {
        var header: [UInt8] = []
        let words =
            count == 0
            ? [0, 0, Int32(type.oid)]
            : [1, hasNull ? 1 : 0, Int32(type.oid), Int32(truncatingIfNeeded: count), 1]
        for word in words {
            withUnsafeBytes(of: word.bigEndian) { header.append(contentsOf: $0) }
        }
        return PostgreSQLParameter(type: type.arrayOid, bytes: header + elements)
    }
}

/// A value of a save that a server can't keep.
enum UnfitValue: Error {
    case zeroInText
    case otherType
}
#endif
