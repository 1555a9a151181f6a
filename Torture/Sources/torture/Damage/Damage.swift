import CoreData
import Foundation

/// How a store is damaged.
enum Damage: String, CaseIterable {
    /// Some bytes anywhere.
    case bytes
    /// Some bytes of the first page, which has the header and the schema.
    case header
    /// A page becomes another one, or noise.
    case pages
    /// The file ends early.
    case truncation
    /// Some bytes of the log.
    case log
    /// The log ends early.
    case logTruncation = "log-truncation"
    /// The engine's own tables, by SQL.
    case tables
    /// The schema: views in the place of tables, triggers, other types, other pages.
    case schema
    /// The files of external values, and what rows say of them.
    case values
    /// Some bytes of a binary store, or its end.
    case binary
    /// Some bytes of an XML store, or its end.
    case xml

    private static let pageSize = 4096

    /// Which store is damaged.
    var sample: DamageSample {
        switch self {
        case .log, .logTruncation: .logged
        case .binary: .binary
        case .xml: .xml
        default: .closed
        }
    }

    /// Damages the bytes of a store's files, which go by their suffix.
    func damage(_ files: inout [String: [UInt8]], _ numbers: inout SeededNumbers) {
        let suffix = sample == .logged ? "-wal" : ""
        guard var bytes = files[suffix], !bytes.isEmpty else { return }
        switch self {
        case .bytes, .log: Self.flip(&bytes, below: bytes.count, &numbers)
        case .header: Self.flip(&bytes, below: min(Self.pageSize, bytes.count), &numbers)
        case .pages: Self.exchangePage(&bytes, &numbers)
        case .truncation, .logTruncation:
            bytes.removeLast(1 + numbers.number(below: bytes.count))
        case .binary, .xml:
            if numbers.number(below: 4) == 0 {
                bytes.removeLast(1 + numbers.number(below: bytes.count))
            } else {
                Self.flip(&bytes, below: bytes.count, &numbers)
            }
        case .tables, .schema, .values: break
        }
        files[suffix] = bytes
    }

    private static func flip(
        _ bytes: inout [UInt8],
        below limit: Int,
        _ numbers: inout SeededNumbers
    ) {
        for _ in 0...numbers.number(below: 10) {
            let place = numbers.number(below: limit)
            switch numbers.number(below: 4) {
            case 0: bytes[place] = 0
            case 1: bytes[place] = 0xff
            case 2: bytes[place] ^= 1 << UInt8(numbers.number(below: 8))
            default: bytes[place] = UInt8(numbers.number(below: 256))
            }
        }
    }

    private static func exchangePage(_ bytes: inout [UInt8], _ numbers: inout SeededNumbers) {
        let count = bytes.count / pageSize
        guard count > 1 else { return }
        let target = numbers.number(below: count) * pageSize
        let source = numbers.number(below: count) * pageSize
        let isNoise = numbers.number(below: 3) == 0
        for index in 0..<pageSize {
            bytes[target + index] =
                isNoise ? UInt8(numbers.number(below: 256)) : bytes[source + index]
        }
    }
}

/// A store whose copies are damaged.
enum DamageSample: CaseIterable {
    /// One that was closed.
    case closed
    /// One that has a log.
    case logged
    case binary, xml

    var storeType: String {
        switch self {
        case .closed, .logged: NSSQLiteStoreType
        case .binary: NSBinaryStoreType
        case .xml: NSXMLStoreType
        }
    }

    /// Makes it.
    func make(_ url: URL) throws {
        switch self {
        case .closed: try Samples.filled(url, Stack.history)
        case .logged: try Samples.leftOpen(url)
        case .binary, .xml: try Samples.filled(url, type: storeType)
        }
    }
}
