import Foundation

/// Files that are imported, exported, or hold models.
extension Condition {
    static let exchange: [Condition] = [
        Condition("missing-folder", "export", .error(4)) {
            try hide($0.appendingPathComponent("exports"))
        },
        Condition("folder-as-file", "export", .layer(.unwritableFile)) { folder in
            let target = folder.appendingPathComponent("exports/Items.csv")
            return try inPlace(of: target) { path in
                // Not empty, so that nothing can take its place.
                mkdir(path, 0o755) == 0 ? mkdir("\(path)/inner", 0o755) : -1
            }
        },
        Condition("missing-file", "import", .layer(.unreadableFile)) {
            try hide($0.appendingPathComponent("Owners.csv"))
        },
        Condition("folder-as-file", "import", .layer(.unreadableFile)) { folder in
            try inPlace(of: folder.appendingPathComponent("Owners.csv")) { mkdir($0, 0o755) }
        },
        Condition("link-to-itself", "import", .layer(.unreadableFile)) { folder in
            try inPlace(of: folder.appendingPathComponent("Owners.csv")) {
                symlink("Owners.csv", $0)
            }
        },
        Condition("missing-file", "model-reading", .error(259)) {
            try hide($0.appendingPathComponent("Model.xcdatamodel/contents"))
        },
        Condition("missing-folder", "model-reading", .error(260)) {
            try hide($0.appendingPathComponent("Model.xcdatamodel"))
        },
        Condition("folder-as-file", "model-reading", .error(259)) { folder in
            try inPlace(of: folder.appendingPathComponent("Model.xcdatamodel/contents")) {
                mkdir($0, 0o755)
            }
        },
        Condition("pipe-as-file", "model-reading", .error(259)) { folder in
            try inPlace(of: folder.appendingPathComponent("Model.xcdatamodel/contents")) {
                mkfifo($0, 0o644)
            }
        },
        Condition("device-as-file", "model-reading", .error(259)) { folder in
            try inPlace(of: folder.appendingPathComponent("Model.xcdatamodel/contents")) {
                symlink("/dev/zero", $0)
            }
        },
    ]
}
