#if PostgreSQL
import Foundation

extension SaveStatements {
    /// Tells the feed what a save has changed, and whose it is.
    ///
    /// Last of all: a save takes its place in the order of saves when it has its locks, so that of
    /// two that change a row the later one has the higher place.
    mutating func addHistory(
        _ changes: [HistoryWriter.Change],
        _ origin: ChangeOrigin,
        save: UUID
    ) {
        let texts = HistoryWriter.texts(origin)
        let transaction = schema.path("z_transaction")
        add(
            "INSERT INTO \(transaction) (save, author, context, bundle, process, at) "
                + "VALUES ($1, $2, $3, $4, $5, $6)",
            .uuid(save),
            .text(texts[.author]),
            .text(texts[.contextName]),
            .text(texts[.bundleID]),
            .text(texts[.processID]),
            .real(Date().timeIntervalSinceReferenceDate)
        )
        for (place, run) in Self.runs(changes).enumerated() {
            let layout = store.model.entities[run[0].reference.entityIndex]
            let columns = run[0].type == .update ? Self.columns(run, layout) : []
            let isDeletion = run[0].type == .delete
            let tombstones =
                isDeletion && !layout.tombstoneSlots.isEmpty
                ? run.map { TombstoneCoding.encode($0.tombstone) } : []
            let versions =
                isDeletion ? run.map { Int64(deletedVersions[$0.reference] ?? 0) } : []
            add(
                "INSERT INTO \(schema.path("z_change")) VALUES "
                    + "((SELECT seq FROM \(transaction) WHERE save = $1), $2, $3, $4, $5, $6, $7, $8)",
                .uuid(save),
                .integer(Int64(place)),
                .integer(Int64(store.numbers[layout.index])),
                .integer(Int64(run[0].type.rawValue)),
                .keys(run.map(\.reference.primaryKey)),
                Self.array(columns),
                Self.array(tombstones),
                .keys(versions)
            )
        }
    }

    /// Checks that a save's transaction is the connection's own: on another one, made anew after a
    /// loss, a commit would be of nothing, and no error.
    mutating func checkIsUnderWay(_ save: UUID) {
        check(
            "FROM \(schema.path("z_transaction")) WHERE save = $3",
            count: 1,
            state: PostgreSQLError.State.conflict,
            .uuid(save)
        )
    }

    /// Changes of one kind in one entity that follow each other: a record of the feed.
    private static func runs(_ changes: [HistoryWriter.Change]) -> [[HistoryWriter.Change]] {
        var runs: [[HistoryWriter.Change]] = []
        for change in changes {
            if let last = runs.last?.last, last.type == change.type,
                last.reference.entityIndex == change.reference.entityIndex
            {
                runs[runs.count - 1].append(change)
            } else {
                runs.append([change])
            }
        }
        return runs
    }

    private static func columns(_ run: [HistoryWriter.Change], _ layout: EntityLayout) -> [Data] {
        // Rows with the same changes mostly follow each other.
        var last: (properties: Set<String>, columns: Data)?
        return run.map { change in
            if let last, last.properties == change.properties { return last.columns }
            let columns = ChangedColumns.encode(change.properties, layout)
            last = (change.properties, columns)
            return columns
        }
    }

    private static func array(_ values: [Data]) -> PostgreSQLParameter {
        var array = PostgreSQLArray(.bytes)
        for value in values { array.append(value) }
        return array.parameter
    }
}

/// The values that outlive a row, as the feed has them.
enum TombstoneCoding {
    static func encode(_ values: [SQLBinding]) -> Data {
        var writer = ByteWriter()
        writer.append(UInt32(values.count))
        for value in values {
            switch value {
            case .null: writer.append(UInt8(0))
            case .integer(let integer):
                writer.append(UInt8(1))
                writer.append(integer)
            case .real(let real):
                writer.append(UInt8(2))
                writer.append(real.bitPattern)
            case .text(let text):
                writer.append(UInt8(3))
                writer.append(text: text)
            case .blob(let data):
                writer.append(UInt8(4))
                writer.append(bytes: data)
            }
        }
        return Data(writer.bytes)
    }

    /// - Throws: 259 for other bytes.
    static func decode(_ data: Data, url: URL) throws -> [SQLBinding] {
        var reader = ByteReader(Array(data), from: 0, url: url)
        let count = try reader.count(minimumSize: 1)
        return try (0..<count).map { _ in
            switch try reader.integer(UInt8.self) {
            case 0: .null
            case 1: .integer(try reader.integer(Int64.self))
            case 2: .real(Double(bitPattern: try reader.integer(UInt64.self)))
            case 3: .text(try reader.text())
            case 4: .blob(try reader.data())
            default: throw reader.damaged("a value of the feed is of no known type")
            }
        }
    }
}
#endif
