import CSQLite
import Foundation

@testable import CoreData
import TestSupport

/// A small model, its rows in memory and the same rows in SQLite.
final class QueryFixture {
    let model: ModelLayout
    private let owner: NSManagedObjectModel
    let people: [MemoryRow]
    let departments: [MemoryRow]
    let tags: [MemoryRow]
    private let db: OpaquePointer

    var person: EntityLayout { model.entities[1] }

    init(seed: UInt64, count: Int) throws {
        owner = Self.makeModel()
        let layout = owner.layout
        model = layout
        var random = SplitMix(seed: seed)
        func rows(_ name: String, _ count: Int) -> [MemoryRow] {
            let index = layout.entitiesByName[name]?.index ?? 0
            return (1...count).map {
                MemoryRow(RowReference(entityIndex: index, primaryKey: Int64($0)))
            }
        }
        people = rows("Person", count)
        departments = rows("Department", 4)
        tags = rows("Tag", 5)
        for department in departments {
            department.values = [
                "title": random.pick(Pools.texts), "floor": random.pick(Pools.integers),
                "staff": .collection([]),
            ]
        }
        for tag in tags {
            tag.values = ["label": random.pick(Pools.texts), "people": .collection([])]
        }
        for person in people {
            person.values = [
                "name": random.pick(Pools.texts), "nick": random.pick(Pools.texts),
                "age": random.pick(Pools.integers), "height": random.pick(Pools.reals),
                "born": random.pick(Pools.dates), "price": random.pick(Pools.decimals),
                "isActive": random.pick(Pools.flags), "uuid": random.pick(Pools.uuids),
                "data": random.pick(Pools.blobs), "reports": .collection([]),
                "tags": .collection([]),
            ]
            person.values["boss"] = random.chance(3) ? .null : .object(random.pick(people))
            person.values["dept"] = random.chance(4) ? .null : .object(random.pick(departments))
        }
        for person in people {
            if case .object(let boss)? = person.values["boss"] {
                (boss as? MemoryRow)?.append(person, to: "reports")
            }
            if case .object(let dept)? = person.values["dept"] {
                (dept as? MemoryRow)?.append(person, to: "staff")
            }
            for tag in tags where random.chance(3) {
                person.append(tag, to: "tags")
                tag.append(person, to: "people")
            }
        }
        var handle: OpaquePointer?
        guard sqlite3_open(":memory:", &handle) == SQLITE_OK, let handle else {
            throw FixtureError(message: "open")
        }
        db = handle
        guard SQLiteFunctions.register(on: db) == SQLITE_OK else {
            throw FixtureError(message: "register")
        }
        try fill()
    }

    deinit {
        // Related rows hold each other.
        for row in people + departments + tags { row.values = [:] }
        sqlite3_close(db)
    }

    static func makeModel() -> NSManagedObjectModel {
        func attribute(_ name: String, _ type: NSAttributeType) -> NSAttributeDescription {
            let attribute = NSAttributeDescription()
            attribute.name = name
            attribute.attributeType = type
            return attribute
        }
        func entity(_ name: String) -> NSEntityDescription {
            let entity = NSEntityDescription()
            entity.name = name
            return entity
        }
        func relate(
            _ a: NSEntityDescription,
            _ name: String,
            toMany: Bool,
            _ b: NSEntityDescription,
            _ inverse: String,
            inverseToMany: Bool
        ) -> (NSRelationshipDescription, NSRelationshipDescription) {
            let there = NSRelationshipDescription(), back = NSRelationshipDescription()
            there.name = name
            there.destinationEntity = b
            there.maxCount = toMany ? 0 : 1
            back.name = inverse
            back.destinationEntity = a
            back.maxCount = inverseToMany ? 0 : 1
            there.inverseRelationship = back
            back.inverseRelationship = there
            return (there, back)
        }
        let person = entity("Person"), department = entity("Department"), tag = entity("Tag")
        let (boss, reports) = relate(
            person,
            "boss",
            toMany: false,
            person,
            "reports",
            inverseToMany: true
        )
        let (dept, staff) = relate(
            person,
            "dept",
            toMany: false,
            department,
            "staff",
            inverseToMany: true
        )
        let (tags, people) = relate(
            person,
            "tags",
            toMany: true,
            tag,
            "people",
            inverseToMany: true
        )
        person.properties = [
            attribute("name", .stringAttributeType), attribute("nick", .stringAttributeType),
            attribute("age", .integer32AttributeType), attribute("height", .doubleAttributeType),
            attribute("born", .dateAttributeType), attribute("price", .decimalAttributeType),
            attribute("isActive", .booleanAttributeType), attribute("uuid", .UUIDAttributeType),
            attribute("data", .binaryDataAttributeType), boss, reports, dept, tags,
        ]
        department.properties = [
            attribute("title", .stringAttributeType), attribute("floor", .integer32AttributeType),
            staff,
        ]
        tag.properties = [attribute("label", .stringAttributeType), people]
        let model = NSManagedObjectModel()
        model.entities = [person, department, tag]
        return model
    }

    // MARK: SQLite

    private func fill() throws {
        try execute(
            """
            CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZAGE INTEGER, \
            ZISACTIVE INTEGER, ZBOSS INTEGER, ZDEPT INTEGER, ZHEIGHT FLOAT, ZBORN TIMESTAMP, \
            ZPRICE DECIMAL, ZNAME VARCHAR, ZNICK VARCHAR, ZUUID BLOB, ZDATA BLOB)
            """
        )
        try execute(
            "CREATE TABLE ZDEPARTMENT (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZFLOOR INTEGER, ZTITLE VARCHAR)"
        )
        try execute("CREATE TABLE ZTAG (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, ZLABEL VARCHAR)")
        try execute(
            "CREATE TABLE Z_2TAGS (Z_2PEOPLE INTEGER, Z_3TAGS INTEGER, PRIMARY KEY (Z_2PEOPLE, Z_3TAGS))"
        )
        for column in ["AGE", "NAME", "BOSS", "DEPT", "UUID", "BORN"] {
            try execute("CREATE INDEX ZPERSON_Z\(column)_INDEX ON ZPERSON (Z\(column))")
        }
        try execute("BEGIN")
        for (table, rows) in [("ZPERSON", people), ("ZDEPARTMENT", departments), ("ZTAG", tags)] {
            for row in rows {
                var names = ["Z_PK"], bindings = [SQLBinding.integer(row.reference.primaryKey)]
                for (key, value) in row.values {
                    if case .collection = value { continue }
                    names.append("Z" + key.uppercased())
                    bindings.append(Self.binding(value))
                }
                let marks = names.map { _ in "?" }.joined(separator: ",")
                _ = try rowIDs(
                    SQLFragment(
                        "INSERT INTO \(table) (\(names.joined(separator: ","))) VALUES (\(marks))",
                        bindings
                    )
                )
            }
        }
        for person in people {
            for tag in person.rows("tags") {
                try execute(
                    "INSERT INTO Z_2TAGS VALUES (\(person.reference.primaryKey), \(tag.reference.primaryKey))"
                )
            }
        }
        try execute("COMMIT")
    }

    private static func binding(_ value: QueryValue) -> SQLBinding {
        if case .object(let source) = value, let row = source as? MemoryRow {
            return .integer(row.reference.primaryKey)
        }
        return value.plainOperand?.binding ?? .null
    }

    private func execute(_ sql: String) throws {
        guard sqlite3_exec(db, sql, nil, nil, nil) == SQLITE_OK else {
            throw FixtureError(message: String(cString: sqlite3_errmsg(db)) + " in " + sql)
        }
    }

    /// The first column of all rows.
    func rowIDs(_ fragment: SQLFragment) throws -> [Int64] {
        try column(fragment) { sqlite3_column_int64($0, 0) }
    }

    func plan(_ fragment: SQLFragment) throws -> [String] {
        try column("EXPLAIN QUERY PLAN " + fragment) {
            String(cString: sqlite3_column_text($0, 3))
        }
    }

    private func column<Value>(
        _ fragment: SQLFragment,
        _ read: (OpaquePointer) -> Value
    ) throws -> [Value] {
        var handle: OpaquePointer?
        guard sqlite3_prepare_v2(db, fragment.sql, -1, &handle, nil) == SQLITE_OK, let handle else {
            throw FixtureError(message: String(cString: sqlite3_errmsg(db)) + " in " + fragment.sql)
        }
        defer { sqlite3_finalize(handle) }
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        for (index, binding) in fragment.bindings.enumerated() {
            let position = Int32(index + 1)
            switch binding {
            case .null: sqlite3_bind_null(handle, position)
            case .integer(let integer): sqlite3_bind_int64(handle, position, integer)
            case .real(let real): sqlite3_bind_double(handle, position, real)
            case .text(let text):
                let bytes = Array(text.utf8) + [0]
                bytes.withUnsafeBytes {
                    _ = sqlite3_bind_text(
                        handle,
                        position,
                        $0.baseAddress?.assumingMemoryBound(to: CChar.self),
                        Int32(bytes.count - 1),
                        transient
                    )
                }
            case .blob(let data) where data.isEmpty: sqlite3_bind_zeroblob(handle, position, 0)
            case .blob(let data):
                data.withUnsafeBytes {
                    _ = sqlite3_bind_blob(
                        handle,
                        position,
                        $0.baseAddress,
                        Int32(data.count),
                        transient
                    )
                }
            }
        }
        var values: [Value] = []
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: values.append(read(handle))
            case SQLITE_DONE: return values
            default:
                throw FixtureError(
                    message: String(cString: sqlite3_errmsg(db)) + " in " + fragment.sql
                )
            }
        }
    }

    /// The statement for a fetch of people.
    func statement(
        _ predicate: NSPredicate,
        _ sortDescriptors: [NSSortDescriptor] = [],
        ordered: Bool = true
    ) throws -> SQLFragment {
        let translator = PredicateTranslator(model: model, layout: person, naming: FixtureNaming())
        let condition = try translator.condition(predicate)
        let order = try translator.order(sortDescriptors)
        let statement = "SELECT t0.Z_PK FROM ZPERSON t0\(translator.joins) WHERE " + condition
        return ordered ? statement + " ORDER BY " + order : statement
    }
}

struct FixtureNaming: ColumnNaming {
    func table(rootIndex: Int) -> String { ["ZDEPARTMENT", "ZPERSON", "ZTAG"][rootIndex] }
    func column(_ slot: PropertySlot, in layout: EntityLayout) -> String {
        "Z" + slot.name.uppercased()
    }
    func entityNumber(_ entityIndex: Int) -> Int64 { Int64(entityIndex + 1) }
    func column(_ slot: PropertySlot, element: Int, in layout: EntityLayout) -> String? { nil }
    func toMany(_ slot: PropertySlot, in layout: EntityLayout) -> ToManyStorage {
        switch slot.name {
        case "reports": .foreignKey(column: "ZBOSS")
        case "staff": .foreignKey(column: "ZDEPT")
        case "tags":
            .joinTable(name: "Z_2TAGS", ownerColumn: "Z_2PEOPLE", destinationColumn: "Z_3TAGS")
        default:
            .joinTable(name: "Z_2TAGS", ownerColumn: "Z_3TAGS", destinationColumn: "Z_2PEOPLE")
        }
    }
}

struct FixtureError: Error { let message: String }

/// A row that predicates can be evaluated with.
final class MemoryRow: KeyValueSource, StoredRowIdentifiable {
    let reference: RowReference
    var values: [String: QueryValue] = [:]

    init(_ reference: RowReference) { self.reference = reference }

    func queryValue(for key: QueryKey) -> QueryValue? { values[key.name] }
    var queryIdentity: AnyHashable { reference }
    var rowReference: RowReference? { reference }
    var rowStore: NSPersistentStore? { nil }

    /// The attributes, for messages.
    var summary: String {
        values.sorted { $0.key < $1.key }.compactMap { key, value in
            switch value {
            case .collection: nil
            case .object(let source): "\(key) \((source as? MemoryRow)?.reference.primaryKey ?? 0)"
            default: "\(key) \(value.plainOperand.map { "\($0.binding)" } ?? "")"
            }
        }.joined(separator: ", ").replacingOccurrences(of: "CoreData.SQLBinding.", with: "")
    }

    func append(_ row: MemoryRow, to key: String) {
        guard case .collection(let rows)? = values[key] else { return }
        values[key] = .collection(rows + [.object(row)])
    }
    func rows(_ key: String) -> [MemoryRow] {
        guard case .collection(let rows)? = values[key] else { return [] }
        return rows.compactMap { if case .object(let row) = $0 { row as? MemoryRow } else { nil } }
    }
}

enum Pools {
    static var texts: [QueryValue] { [.null, .null] + strings.map { .text($0) } }
    static let strings = [
        "", "a", "A", "á", "Á", "a\u{301}", "ab", "aB", "abc", "b*", "a?c", "ß", "ss", "5", "12",
        "5.0", "İ", "i", "日本", "\u{10FFFF}", "a\u{0}b", "o'x\"", "-5", "%", "a_c", "\\", "cab",
    ]
    static let integerConstants = [-5, 0, 1, 2, 5, 12, 36, Int(Int32.max)]
    static var integers: [QueryValue] { [.null] + integerConstants.map { .integer(Int64($0)) } }
    static let realConstants = [0.0, 1.0, 1.5, -2.25, 1e300, 0.1, 5, 2147483647.5]
    static var reals: [QueryValue] { [.null] + realConstants.map { .real($0) } }
    static let dateConstants = [0, 100, 100.5, -3e8, 5].map {
        Date(timeIntervalSinceReferenceDate: $0)
    }
    static var dates: [QueryValue] {
        [.null] + dateConstants.map { .date($0.timeIntervalSinceReferenceDate) }
    }
    static let decimalConstants = ["10.5", "30", "0.1", "-7"].map { NSDecimalNumber(string: $0) }
    static var decimals: [QueryValue] {
        [.null] + decimalConstants.map { .decimal($0.decimalValue) }
    }
    static var flags: [QueryValue] { [.null, .integer(0), .integer(1)] }
    static let uuidConstants = (1...3).map {
        UUID(uuid: (UInt8($0), 2, 3, 4, 5, 6, 0x47, 8, 0x89, 10, 11, 12, 13, 14, 15, 16))
    }
    static var uuids: [QueryValue] { [.null] + uuidConstants.map { QueryValue($0) } }
    static let dataConstants = [Data(), Data([1]), Data([1, 2]), Data([255])]
    static var blobs: [QueryValue] { [.null] + dataConstants.map { .bytes($0) } }
}
