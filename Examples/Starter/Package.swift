// swift-tools-version: 5.9
import PackageDescription

// In a copy of this folder elsewhere, the path to the package. Nothing else has to change.
let mergeStack = Package.Dependency.package(name: "MergeStack", path: "../..")

// Apple's framework stands in for module `CoreData` where it exists.
#if os(macOS)
let coreData: [Target.Dependency] = []
#else
let coreData: [Target.Dependency] = [.product(name: "CoreData", package: "MergeStack")]
#endif

let package = Package(
    name: "Starter",
    platforms: [.macOS(.v10_15)],
    dependencies: [mergeStack],
    targets: [
        .executableTarget(
            name: "Starter",
            dependencies: [.product(name: "MergeStack", package: "MergeStack")] + coreData,
            plugins: [.plugin(name: "ManagedAccessors", package: "MergeStack")]
        )
    ]
)
