// swift-tools-version: 5.9
import PackageDescription

// Apple's framework stands in for module `CoreData` where it exists.
#if os(macOS)
let coreData: [Target.Dependency] = []
#else
let coreData: [Target.Dependency] = [.product(name: "CoreData", package: "MergeStack")]
#endif

// Entity classes in a library, used by its tests, as an application would have them.
let package = Package(
    name: "Bookshop",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [.library(name: "Bookshop", targets: ["Bookshop"])],
    dependencies: [.package(name: "MergeStack", path: "../..")],
    targets: [
        .target(
            name: "Bookshop",
            dependencies: coreData,
            plugins: [.plugin(name: "ManagedAccessors", package: "MergeStack")]
        ),
        .testTarget(
            name: "BookshopTests",
            dependencies: ["Bookshop"] + coreData,
            plugins: [.plugin(name: "ManagedAccessors", package: "MergeStack")]
        ),
    ]
)
