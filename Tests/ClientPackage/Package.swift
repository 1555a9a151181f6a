// swift-tools-version: 5.9
import PackageDescription

// `Scripts/check-clients` copies this package elsewhere and says where MergeStack is.
let mergeStack = Context.environment["MERGESTACK_PATH"] ?? "../.."

// Entity classes in one module and the program that uses them in another, as an application has them.
let package = Package(
    name: "ClientPackage",
    dependencies: [.package(name: "MergeStack", path: mergeStack)],
    targets: [
        .target(
            name: "Catalogue",
            dependencies: [.product(name: "CoreData", package: "MergeStack")],
            resources: [.process("Catalogue.xcdatamodeld")],
            plugins: [
                .plugin(name: "ManagedClasses", package: "MergeStack"),
                .plugin(name: "ManagedAccessors", package: "MergeStack"),
            ]
        ),
        .executableTarget(
            name: "Shop",
            dependencies: [
                "Catalogue",
                .product(name: "CoreData", package: "MergeStack"),
                .product(name: "MergeStack", package: "MergeStack"),
            ]
        ),
    ]
)
