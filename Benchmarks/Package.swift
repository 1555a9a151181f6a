// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

// Benchmarks that need more than the tool: SQLite itself, beside the runtime.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "MergeStack", path: "..")],
    targets: [
        .systemLibrary(
            name: "CSQLiteBaseline",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .target(name: "Baseline", dependencies: ["CSQLiteBaseline"], swiftSettings: strict),
        .executableTarget(
            name: "import-bench",
            dependencies: [
                .product(name: "CoreData", package: "MergeStack"),
                .product(name: "MergeBench", package: "MergeStack"),
                .product(name: "MergeStack", package: "MergeStack"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "query-bench",
            dependencies: [.product(name: "CoreData", package: "MergeStack")],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "layer-bench",
            dependencies: ["Baseline", .product(name: "CoreData", package: "MergeStack")],
            swiftSettings: strict,
            plugins: [.plugin(name: "ManagedAccessors", package: "MergeStack")]
        ),
    ]
)
