import Foundation

/// How reports become JSON: sorted keys, dates as ISO 8601.
enum ReportCoding {
    static func encode(_ report: some Encodable) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
        encoder.dateEncodingStrategy = .iso8601
        return try encoder.encode(report)
    }

    static func decode<Report: Decodable>(_ type: Report.Type, from json: Data) throws -> Report {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(type, from: json)
    }
}
