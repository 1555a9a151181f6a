// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

// A nested package, for its program takes the place of functions of the C library (`CTorture`), which
// no user of the package may get. `make torture` builds it; ordinary builds never see it.
let package = Package(
    name: "Torture",
    // Stores that many machines share are tortured with `--traits PostgreSQL`; it needs libpq.
    traits: [.trait(name: "PostgreSQL")],
    dependencies: [
        .package(
            name: "MergeStack",
            path: "..",
            traits: [
                .trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"]))
            ]
        )
    ],
    targets: [
        .systemLibrary(
            name: "CSQLiteLibrary",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .systemLibrary(
            name: "CPostgreSQLLibrary",
            pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"])]
        ),
        .target(
            name: "CTorture",
            dependencies: ["CSQLiteLibrary"],
            cSettings: [.define("POSTGRESQL", .when(traits: ["PostgreSQL"]))]
        ),
        .executableTarget(
            name: "torture",
            dependencies: [
                "CSQLiteLibrary", "CTorture",
                .target(name: "CPostgreSQLLibrary", condition: .when(traits: ["PostgreSQL"])),
                .product(name: "CoreData", package: "MergeStack"),
                .product(name: "MergeExchange", package: "MergeStack"),
                .product(name: "MergeStack", package: "MergeStack"),
                .product(name: "MergeExchange", package: "MergeStack"),
            ],
            swiftSettings: strict
        ),
    ]
)
