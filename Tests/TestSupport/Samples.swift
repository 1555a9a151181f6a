import Foundation

/// Files that other programs wrote, in a folder `shared/samples` beside some checkouts. Tests over
/// them say so and pass elsewhere.
public enum Samples {
    /// The folder; nil if there is none.
    public static let directory: URL? = {
        var folder = URL(fileURLWithPath: #filePath)
        while folder.path != "/" {
            folder.deleteLastPathComponent()
            let samples = folder.appendingPathComponent("shared/samples", isDirectory: true)
            if FileManager.default.fileExists(atPath: samples.path) { return samples }
        }
        print("Skipped: there is no folder shared/samples beside this checkout.")
        return nil
    }()

    /// A file or folder in it; nil if it is not there.
    public static func folder(_ name: String) -> URL? {
        guard let url = directory?.appendingPathComponent(name) else { return nil }
        guard FileManager.default.fileExists(atPath: url.path) else {
            print("Skipped: there is no shared/samples/\(name) beside this checkout.")
            return nil
        }
        return url
    }
}
