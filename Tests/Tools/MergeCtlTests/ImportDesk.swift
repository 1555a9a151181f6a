import Foundation
import Testing

/// A folder with a store of the world, and files that are imported into it.
struct ImportDesk {
    static let world = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("Examples/World")
    static let model = world.appendingPathComponent("World.xcdatamodeld").path

    let folder: URL
    var store: URL { folder.appendingPathComponent("World.sqlite") }

    static func with(_ body: (ImportDesk) throws -> Void) throws {
        let folder = try ToolRun.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(ImportDesk(folder: folder))
    }

    /// The header and the first lines of the airports.
    static func airports(_ count: Int) throws -> Data {
        let url = world.appendingPathComponent("airports.csv")
        let text = try String(contentsOf: url, encoding: .utf8)
        let lines = text.split(separator: "\n").prefix(count + 1)
        return Data((lines.joined(separator: "\n") + "\n").utf8)
    }

    func file(_ name: String, _ data: Data) throws -> String {
        let url = folder.appendingPathComponent(name)
        try data.write(to: url)
        return url.path
    }

    func importing(_ entity: String, _ file: String, _ options: String...) throws -> ToolRun {
        try ToolRun.mergectl(
            [
                "import", "--model", Self.model, "--store", store.path, "--entity", entity, file,
            ] + options
        )
    }

    func importWorld(_ name: String, _ entity: String) throws {
        let run = try importing(entity, Self.world.appendingPathComponent(name).path)
        #expect(run.code == 0, "\(run.errors)")
    }

    func count(_ entity: String) throws -> Int {
        let run = try ToolRun.mergectl(["fetch", "--store", store.path, "--format", "csv", entity])
        return run.output.split(separator: "\n").count - 1
    }
}
