// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

// A nested package, for its program takes the place of functions of the C library (`CTorture`), which
// no user of the package may get. `make torture` builds it; ordinary builds never see it.
let package = Package(
    name: "Torture",
    dependencies: [.package(name: "MergeStack", path: "..")],
    targets: [
        .systemLibrary(
            name: "CSQLiteLibrary",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .target(name: "CTorture", dependencies: ["CSQLiteLibrary"]),
        .executableTarget(
            name: "torture",
            dependencies: [
                "CSQLiteLibrary", "CTorture",
                .product(name: "CoreData", package: "MergeStack"),
                .product(name: "MergeExchange", package: "MergeStack"),
                .product(name: "MergeStack", package: "MergeStack"),
                .product(name: "MergeExchange", package: "MergeStack"),
            ],
            swiftSettings: strict
        ),
    ]
)
