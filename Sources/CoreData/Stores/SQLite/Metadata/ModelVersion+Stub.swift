import Foundation

enum ModelVersion {
    static func hashes(of entities: [NSEntityDescription]) -> [String: Data] {
        Dictionary(entities.map { entity in
            var data = Data((entity.name ?? "").utf8)
            for property in entity.properties.sorted(by: { $0.name < $1.name }) {
                data.append(contentsOf: property.name.utf8)
            }
            var word: UInt64 = 1469598103934665603
            for byte in data { word = (word ^ UInt64(byte)) &* 1099511628211 }
            var hash = Data()
            for _ in 0..<4 { withUnsafeBytes(of: word) { hash.append(contentsOf: $0) } }
            return (entity.name ?? "", hash)
        }, uniquingKeysWith: { $1 })
    }
    static func digest(_ hashes: [String: Data]) -> String { "" }
    static func checksum(_ hashes: [String: Data]) -> String { "" }
}
