import CSQLite
import Foundation

/// The rows whose derived values triggers changed in the transaction under way.
///
/// > Threading: Confined to its connection's user: SQLite calls back inside `sqlite3_step`.
final class DerivedChanges {
    var rows: [(table: String, primaryKey: Int64)] = []
}

extension SQLiteConnection {
    /// Registers the functions that the triggers of derived attributes call.
    ///
    /// Without them, no insertion into such a table can be prepared. They are innocuous, since a
    /// schema is not trusted otherwise: all they do is to note a row.
    func registerDerivedValueFunctions() throws(SQLiteError) {
        let names = [
            "NSCoreDataDATriggerUpdatedAffectedObjectValue",
            "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        ]
        for name in names {
            // Unretained: the connection owns it, and closes its handle before its properties are
            // released.
            let code = sqlite3_create_function_v2(
                handle,
                name,
                5,
                SQLITE_UTF8 | SQLITE_INNOCUOUS,
                Unmanaged.passUnretained(derivedChanges).toOpaque(),
                { context, count, arguments in
                    // Anything in the file's schema may call it, with NULL for the name of a table.
                    guard count == 5, let arguments, let user = sqlite3_user_data(context),
                        let table = sqlite3_value_text(arguments[0])
                    else { return }
                    let changes = Unmanaged<DerivedChanges>.fromOpaque(user).takeUnretainedValue()
                    changes.rows.append(
                        (String(cString: table), sqlite3_value_int64(arguments[2]))
                    )
                },
                nil,
                nil,
                nil
            )
            if code != SQLITE_OK { throw SQLiteError(handle, code: code) }
        }
    }
}
