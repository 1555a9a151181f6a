import CSQLite
import Foundation

/// The functions and collations that translated predicates call; they are the evaluator's own.
enum SQLiteFunctions {
    /// Registers them with a connection.
    ///
    /// - Returns: SQLite's result code.
    static func register(on db: OpaquePointer) -> Int32 {
        var result = SQLITE_OK
        func add(
            _ name: String,
            _ count: Int32,
            _ function:
                @escaping @convention(c) (
                    OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?
                ) -> Void
        ) {
            guard result == SQLITE_OK else { return }
            // Deterministic, so that SQLite may call them once for arguments that are constant.
            let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
            result = sqlite3_create_function_v2(
                db,
                name,
                count,
                flags,
                nil,
                function,
                nil,
                nil,
                nil
            )
        }
        add("MS_FOLD", 2) { context, _, values in
            // A function that sets no result gives NULL: nil folded stays nil.
            guard let values, sqlite3_value_type(values[0]) != SQLITE_NULL else { return }
            let options = TextOrder.Options(rawValue: UInt(sqlite3_value_int64(values[1])))
            SQLiteFunctions.give(
                .text(TextOrder.folded(SQLiteFunctions.text(values[0]), options)),
                context
            )
        }
        add("MS_TEXT", 4) { context, _, values in
            guard let values else { return }
            let operation = NSComparisonPredicate.Operator(
                rawValue: UInt(sqlite3_value_int64(values[0]))
            )
            let options = TextOrder.Options(rawValue: UInt(sqlite3_value_int64(values[1])))
            let left = SQLiteFunctions.value(values[2]), right = SQLiteFunctions.value(values[3])
            let holds = operation.map { TextMatching.holds($0, options, left, right) } ?? false
            sqlite3_result_int(context, holds ? 1 : 0)
        }
        add("MS_CALL", -1) { context, count, values in
            guard let values, count > 0 else { return }
            let arguments = (1..<Int(max(count, 1))).map { SQLiteFunctions.value(values[$0]) }
            // The name travels as an argument, so that one registration serves all functions.
            guard let function = QueryFunction(rawValue: SQLiteFunctions.text(values[0])),
                arguments.count == function.argumentCount
            else {
                sqlite3_result_error(context, "MS_CALL: unknown function", -1)
                return
            }
            SQLiteFunctions.give(function.call(arguments), context)
        }
        add("MS_REAL", 1) { context, _, values in
            guard let values else { return }
            let bits = UInt64(bitPattern: sqlite3_value_int64(values[0]))
            sqlite3_result_double(context, Double(bitPattern: bits))
        }
        add("MS_BLOB", 1) { context, _, values in
            guard let values else { return }
            let bytes = SQLiteFunctions.bytes(hex: SQLiteFunctions.text(values[0]))
            SQLiteFunctions.give(.bytes(bytes), context)
        }
        // SQLite's own BINARY compares bytes, which needs no call back into Swift for each
        // comparison.
        for order in SortOrderName.allCases where order != .binary && result == SQLITE_OK {
            result = addCollation(order, to: db)
        }
        return result
    }

    // MARK: Collations

    /// The name of the collation that orders as a sort descriptor does.
    static func collation(_ order: SortOrderName) -> String {
        switch order {
        case .binary: "BINARY"
        case .caseInsensitive: "MS_CASE_INSENSITIVE"
        case .localized: "MS_LOCALIZED"
        case .localizedCaseInsensitive: "MS_LOCALIZED_CASE_INSENSITIVE"
        case .localizedStandard: "MS_LOCALIZED_STANDARD"
        }
    }

    private static func addCollation(_ order: SortOrderName, to db: OpaquePointer) -> Int32 {
        let index = SortOrderName.allCases.firstIndex(of: order) ?? 0
        // The index of the order travels as the pointer: C functions capture nothing.
        return sqlite3_create_collation_v2(
            db,
            collation(order),
            SQLITE_UTF8,
            UnsafeMutableRawPointer(bitPattern: index),
            { pointer, leftCount, left, rightCount, right in
                let order = SortOrderName.allCases[Int(bitPattern: pointer)]
                let left = UnsafeRawBufferPointer(start: left, count: Int(leftCount))
                let right = UnsafeRawBufferPointer(start: right, count: Int(rightCount))
                let result = TextOrder.order(
                    String(decoding: left, as: UTF8.self),
                    String(decoding: right, as: UTF8.self),
                    by: order
                )
                return result < 0 ? -1 : result > 0 ? 1 : 0
            },
            nil
        )
    }

    // MARK: Values

    static func text(_ value: OpaquePointer?) -> String {
        // First the text and then its size, which is that of the text's encoding.
        guard let bytes = sqlite3_value_text(value) else { return "" }
        let count = Int(sqlite3_value_bytes(value))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    static func value(_ value: OpaquePointer?) -> QueryValue {
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER: return .integer(sqlite3_value_int64(value))
        case SQLITE_FLOAT: return .number(sqlite3_value_double(value))
        case SQLITE_TEXT: return .text(text(value))
        case SQLITE_BLOB:
            let count = Int(sqlite3_value_bytes(value))
            return .bytes(sqlite3_value_blob(value).map { Data(bytes: $0, count: count) } ?? Data())
        default: return .null
        }
    }

    /// Sets a function's result; none is NULL.
    static func give(_ value: QueryValue, _ context: OpaquePointer?) {
        let transient = SQLiteStatement.copying
        switch value.plainOperand?.binding {
        case .integer(let integer): sqlite3_result_int64(context, integer)
        case .real(let real): sqlite3_result_double(context, real)
        case .text(var text):
            text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) {
                    sqlite3_result_text64(
                        context,
                        $0.baseAddress,
                        UInt64($0.count),
                        transient,
                        UInt8(SQLITE_UTF8)
                    )
                }
            }
            // Empty text may have no address, which gave NULL.
            if text.isEmpty { sqlite3_result_text(context, "", 0, transient) }
        case .blob(let data):
            // A blob without an address would be NULL.
            guard !data.isEmpty else { return sqlite3_result_zeroblob(context, 0) }
            data.withUnsafeBytes {
                sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), transient)
            }
        case .null, nil: sqlite3_result_null(context)
        }
    }

    // MARK: Hexadecimal

    static func hex(_ data: Data) -> String {
        let digits = Array("0123456789abcdef".utf8)
        var result: [UInt8] = []
        result.reserveCapacity(data.count * 2)
        for byte in data {
            result.append(digits[Int(byte >> 4)])
            result.append(digits[Int(byte & 15)])
        }
        return String(decoding: result, as: UTF8.self)
    }

    static func bytes(hex: String) -> Data {
        func digit(_ byte: UInt8) -> UInt8 {
            byte >= UInt8(ascii: "a") ? byte - UInt8(ascii: "a") + 10 : byte & 15
        }
        let digits = Array(hex.utf8)
        var data = Data(capacity: digits.count / 2)
        for index in stride(from: 0, to: digits.count - 1, by: 2) {
            data.append(digit(digits[index]) << 4 | digit(digits[index + 1]))
        }
        return data
    }
}
