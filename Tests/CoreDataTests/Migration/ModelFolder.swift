import Foundation

@testable import CoreData

/// A `.xcdatamodeld` with versions, written for a test.
struct ModelFolder {
    let url: URL

    /// - Parameters:
    ///   - versions: What stands inside the root element of each version's XML, by name.
    ///   - current: The name of the current version.
    init(in folder: URL, versions: [String: String], current: String) throws {
        url = folder.appendingPathComponent("Model.xcdatamodeld", isDirectory: true)
        for (name, content) in versions {
            let version = url.appendingPathComponent("\(name).xcdatamodel", isDirectory: true)
            try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
            let text = """
                <?xml version="1.0" encoding="UTF-8"?>
                <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
                \(content)
                </model>
                """
            try Data(text.utf8).write(to: version.appendingPathComponent("contents"))
        }
        let pointer = """
            <?xml version="1.0" encoding="UTF-8"?>
            <plist version="1.0"><dict>
            <key>_XCCurrentVersionName</key><string>\(current).xcdatamodel</string>
            </dict></plist>
            """
        try Data(pointer.utf8).write(to: url.appendingPathComponent(".xccurrentversion"))
    }

    /// A version by its name.
    func version(_ name: String) throws -> NSManagedObjectModel {
        try NSManagedObjectModel(readingFrom: url.appendingPathComponent("\(name).xcdatamodel"))
    }

    /// The current version.
    func current() throws -> NSManagedObjectModel { try NSManagedObjectModel(readingFrom: url) }
}
