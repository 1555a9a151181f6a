// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "Noticeboard",
    // In a copy of this folder elsewhere, the path to the package. Nothing else has to change.
    dependencies: [.package(name: "MergeStack", path: "../..", traits: ["PostgreSQL"])],
    targets: [
        .executableTarget(
            name: "Noticeboard",
            dependencies: [
                .product(name: "CoreData", package: "MergeStack"),
                .product(name: "MergeStack", package: "MergeStack"),
            ]
        )
    ]
)
