import Foundation

/// Finds the `contents` file of a model's current version.
enum ModelSourceDirectory {
    static func contentsURL(of url: URL) throws -> URL {
        switch url.pathExtension {
        case "xcdatamodeld": return try contentsURL(of: currentVersionURL(of: url))
        case "xcdatamodel": return try existing(url.appendingPathComponent("contents"))
        default:
            guard url.lastPathComponent == "contents" else {
                throw ModelSourceError(
                    url,
                    "its name does not end in .xcdatamodeld or .xcdatamodel; give the source of a "
                        + "model"
                )
            }
            return try existing(url)
        }
    }

    private static func existing(_ url: URL) throws -> URL {
        guard FileManager.default.fileExists(atPath: url.path) else {
            throw ModelSourceError(url, "there is no such file")
        }
        return url
    }

    private static func currentVersionURL(of url: URL) throws -> URL {
        let names = try FileManager.default.contentsOfDirectory(atPath: existing(url).path)
            .filter { $0.hasSuffix(".xcdatamodel") }
        let pointer = url.appendingPathComponent(".xccurrentversion")
        let ownName = url.deletingPathExtension().lastPathComponent + ".xcdatamodel"
        // A model with a single version has no such file, or an empty one.
        var current = names.count == 1 ? names[0] : ownName
        if FileManager.default.fileExists(atPath: pointer.path) {
            // In the dictionary of a property list, each value follows its key.
            let entries = try ModelSource.markup(pointer).children.first?.children ?? []
            let key = entries.firstIndex { $0.text == "_XCCurrentVersionName" }
            if let key, entries.indices.contains(key + 1) { current = entries[key + 1].text }
        }
        guard names.contains(current) else {
            throw ModelSourceError(
                url,
                "its current version \"\(current)\" is missing; choose one in .xccurrentversion"
            )
        }
        return url.appendingPathComponent(current)
    }
}
