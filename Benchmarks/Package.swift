// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

// Benchmarks beside `mergectl bench`: the importer over real data, and predicates.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "MergeStack", path: "..")],
    targets: [
        .executableTarget(
            name: "import-bench",
            dependencies: [
                .product(name: "CoreData", package: "MergeStack"),
                .product(name: "MergeBench", package: "MergeStack"),
                .product(name: "MergeExchange", package: "MergeStack"),
                .product(name: "MergeStack", package: "MergeStack"),
            ],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "query-bench",
            dependencies: [.product(name: "CoreData", package: "MergeStack")],
            swiftSettings: strict
        ),
    ]
)
