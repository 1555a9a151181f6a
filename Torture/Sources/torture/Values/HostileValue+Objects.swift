import CoreData
import Foundation

/// Bytes, identifiers, locations and objects.
extension HostileValue {
    static let bytes: [HostileValue] = ["data", "outside"].flatMap {
        (key: String) -> [HostileValue] in
        [
            // A file with columns can't tell it from none.
            HostileValue("empty", key, Data(), exchanged: .storedAs(nil)),
            HostileValue("nul", key, Data([0])), HostileValue("marker-1", key, Data([1])),
            HostileValue("marker-2", key, Data([2])), HostileValue("marker-3", key, Data([3, 0])),
            HostileValue("all", key, Data(0...255)),
            HostileValue("text", key, Data("'); --".utf8)),
            HostileValue("like-a-name", key, Data([2] + Array(UUID().uuidString.utf8) + [0])),
            HostileValue("threshold", key, Data(repeating: 5, count: 128 << 10)),
            HostileValue("below-threshold", key, Data(repeating: 6, count: (128 << 10) - 1)),
            HostileValue("a-million", key, Data(repeating: 7, count: 1_000_000)),
        ]
    }

    static let identifiers: [HostileValue] =
        uuids.compactMap(UUID.init(uuidString:)).map { HostileValue($0.uuidString, "uuid", $0) }
        + locations.compactMap { URL(string: $0) }.map {
            HostileValue(String($0.absoluteString.prefix(40)), "uri", $0)
        } + relative

    private static let uuids = [
        "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
        "00112233-4455-6677-8899-AABBCCDDEEFF",
    ]

    private static let locations = [
        "a", "a/b?c=d&e=f#g", "https://[::1]:8080/a%20b", "file:///tmp/%C3%A4", "data:,x",
        "urn:uuid:00112233-4455-6677-8899-aabbccddeeff", "javascript:alert(1)", "//host/path",
        "?query", "#fragment", "x-coredata://A/B/p1", "https://user:secret@host:1/", "..",
        "https://h/" + String(repeating: "p", count: 50_000),
    ]

    /// What is stored is the absolute location.
    private static var relative: [HostileValue] {
        guard let base = URL(string: "https://h/a/"), let url = URL(string: "b", relativeTo: base)
        else { return [] }
        return [HostileValue("relative", "uri", url, .storedAs(url.absoluteURL))]
    }

    static let objects: [HostileValue] = [
        HostileValue("empty-array", "object", NSArray()),
        HostileValue("nested", "object", nest(100)),
        HostileValue("nested-too-deep", "object", nest(2_000), .refused(134_060)),
        HostileValue("dictionary", "object", ["": 1, "a\0b": "c", "🐘": Data([0])] as NSDictionary),
        HostileValue("null", "object", [NSNull(), 1] as NSArray),
        HostileValue("set", "object", NSSet(array: ["a", 1])),
        HostileValue("ordered-set", "object", NSOrderedSet(array: ["z", "a", "z"])),
        HostileValue("text", "object", "a\0b" as NSString),
        HostileValue("number", "object", NSNumber(value: Int64.max)),
        HostileValue("decimal", "object", NSDecimalNumber(string: "1e-120")),
        HostileValue("date", "object", Date.distantPast as NSDate),
        HostileValue("uuid", "object", NSUUID()),
        HostileValue("large", "object", NSArray(array: Array(0..<20_000))),
        HostileValue(
            "date-that-is-none",
            "object",
            [Date(timeIntervalSinceReferenceDate: .nan)] as NSArray,
            .refused(134_060)
        ),
        HostileValue(
            "array-in-a-set",
            "object",
            NSSet(object: NSArray(object: 1)),
            .refused(134_060)
        ),
        HostileValue("object-of-nobody", "object", ProcessInfo.processInfo, .refused(134_060)),
    ]

    private static func nest(_ depth: Int) -> NSArray {
        (0..<depth).reduce(NSArray(object: "x")) { inner, _ in NSArray(object: inner) }
    }
}
