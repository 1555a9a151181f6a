// swift-tools-version: 5.9
import PackageDescription

// Apple's framework stands in for module `CoreData` where it exists.
#if os(macOS)
let coreData: [Target.Dependency] = []
#else
let coreData: [Target.Dependency] = [.product(name: "CoreData", package: "MergeStack")]
#endif

// A small app for the terminal.
let package = Package(
    name: "Shelf",
    platforms: [.macOS(.v10_15)],
    dependencies: [.package(name: "MergeStack", path: "../..")],
    targets: [
        .executableTarget(
            name: "Shelf",
            dependencies: [
                .product(name: "MergeStack", package: "MergeStack"),
                .product(name: "MergeExchange", package: "MergeStack"),
            ] + coreData,
            resources: [.copy("Resources/Seed.sqlite")],
            plugins: [.plugin(name: "ManagedAccessors", package: "MergeStack")]
        )
    ]
)
