#if PostgreSQL
import CTorture

/// Defects of the store over PostgreSQL, planted into the statements that it sends.
enum PlantedDefect {
    /// Rows that a save changes are not asked for their versions.
    case version
    /// A save whose commit was not answered counts as one that was not committed.
    case guessedOutcome
    /// A store that is opened again leaves out the first save that it has not got.
    case skippedSave

    func plant() {
        let (text, other): (StaticString, StaticString) =
            switch self {
            case .version: ("AND t.\"Z_OPT\" = n.v", "")
            case .guessedOutcome:
                (
                    "VALUES ($1, true) ON CONFLICT (save) DO NOTHING RETURNING save",
                    "VALUES (gen_random_uuid(), true) RETURNING $1::uuid"
                )
            case .skippedSave: ("WHERE number > $1 AND", "WHERE number > $1 + 1 AND")
            }
        // Static strings end with NUL.
        text.withUTF8Buffer { text in
            other.withUTF8Buffer { other in
                statements_plant(
                    UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self),
                    UnsafeRawPointer(other.baseAddress)?.assumingMemoryBound(to: CChar.self)
                )
            }
        }
    }
}
#endif
