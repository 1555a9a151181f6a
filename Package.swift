// swift-tools-version: 6.1
import PackageDescription

// A warning stops a build of `make` and of CI. It does not stop a client's, whose compiler or SDK may
// know warnings that are not there yet.
let areWarningsErrors = Context.environment["MERGESTACK_WARNINGS"] == "error"
let strict: [SwiftSetting] =
    [.swiftLanguageMode(.v6)]
    + (areWarningsErrors ? [.unsafeFlags(["-warnings-as-errors"])] : [])
let legacy: [SwiftSetting] =
    [.swiftLanguageMode(.v5)]
    + (areWarningsErrors ? [.unsafeFlags(["-Werror", "SendableClosureCaptures"])] : [])

// Apple's framework stands in for module `CoreData` where it exists, so the clean-room runtime
// and all that tests its internals are left out there. Which targets there are is asked of the host:
// a build on a Mac for Linux says so with MERGESTACK_PLATFORM=linux.
#if os(macOS)
let isForLinux = Context.environment["MERGESTACK_PLATFORM"] == "linux"
#else
let isForLinux = true
#endif
/// Runtime modules that a target depends on where it is built for Linux.
func runtime(_ names: String...) -> [Target.Dependency] {
    isForLinux ? names.map { .target(name: $0, condition: .when(platforms: [.linux])) } : []
}
let coreData = runtime("CoreData")
/// The system's libpq, with the trait.
let postgreSQL: [Target.Dependency] =
    isForLinux
    ? [
        .target(
            name: "CPostgreSQL",
            condition: .when(platforms: [.linux], traits: ["PostgreSQL"])
        )
    ] : []
let runtimeProducts: [Product] = [
    .library(name: "CoreData", targets: ["CoreData"]),
    .library(name: "LegacyFoundation", targets: ["LegacyFoundation"]),
    .library(name: "LegacyCombine", targets: ["LegacyCombine"]),
    .library(name: "LegacyXCTest", targets: ["LegacyXCTest"]),
]
let runtimeTargets: [Target] = [
    .target(
        name: "CoreData",
        dependencies: ["CSQLite", "CSwiftRuntime", "Markup", "Threads"] + postgreSQL,
        swiftSettings: strict
    ),
    .systemLibrary(
        name: "CPostgreSQL",
        path: "Sources/Base/CPostgreSQL",
        pkgConfig: "libpq",
        providers: [.apt(["libpq-dev"])]
    ),
    .systemLibrary(name: "CSwiftRuntime", path: "Sources/Base/CSwiftRuntime"),
    .executableTarget(
        name: "query-bench",
        dependencies: ["CoreData"],
        path: "Sources/Tools/QueryBench",
        swiftSettings: strict
    ),
    .target(
        name: "LegacyFoundation",
        dependencies: ["CoreData", "Threads"],
        path: "Sources/Legacy/LegacyFoundation",
        swiftSettings: strict
    ),
    .target(
        name: "LegacyCombine",
        dependencies: ["CoreData", "Threads"],
        path: "Sources/Legacy/LegacyCombine",
        swiftSettings: strict
    ),
    .target(
        name: "LegacyXCTest",
        dependencies: ["CoreData"],
        path: "Sources/Legacy/LegacyXCTest",
        swiftSettings: strict
    ),
    .testTarget(
        name: "LegacyXCTestTests",
        dependencies: ["CoreData", "LegacyXCTest"],
        path: "Tests/Legacy/LegacyXCTestTests",
        swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    .testTarget(
        name: "LegacyFoundationTests",
        dependencies: ["CoreData", "LegacyFoundation", "TestSupport"],
        path: "Tests/Legacy/LegacyFoundationTests",
        swiftSettings: strict
    ),
    .testTarget(
        name: "LegacyCombineTests",
        dependencies: ["CoreData", "LegacyCombine", "TestSupport"],
        path: "Tests/Legacy/LegacyCombineTests",
        swiftSettings: strict
    ),
    .testTarget(
        name: "ManagedAccessorsTests",
        dependencies: ["CoreData", "ManagedAccessorsFixture", "TestSupport"],
        path: "Tests/Tools/ManagedAccessorsTests",
        swiftSettings: strict,
        plugins: ["ManagedAccessors"]
    ),
    .target(
        name: "ManagedAccessorsFixture",
        dependencies: ["CoreData"],
        path: "Tests/Tools/ManagedAccessorsFixture",
        swiftSettings: strict,
        plugins: ["ManagedAccessors"]
    ),
    .target(
        name: "CSQLiteFaults",
        dependencies: ["CSQLite"],
        path: "Tests/Support/CSQLiteFaults"
    ),
    // Empty without the trait.
    .testTarget(
        name: "PostgreSQLTests",
        dependencies: ["CoreData", "MergeStack", "TestSupport", "Threads"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "CoreDataTests",
        dependencies: [
            "CoreData", "CSQLite", "CSQLiteFaults", "Markup", "StoreInspection", "TestSupport",
        ],
        swiftSettings: strict
    ),
]

let package = Package(
    name: "MergeStack",
    platforms: [.macOS(.v10_15), .iOS(.v13), .tvOS(.v13), .watchOS(.v6)],
    products: [
        .library(name: "MergeStack", targets: ["MergeStack"]),
        .library(name: "MergeExchange", targets: ["MergeExchange"]),
        .library(name: "LegacyFinders", targets: ["LegacyFinders"]),
        .library(name: "MergeBench", targets: ["MergeBench"]),
        .executable(name: "mergectl", targets: ["mergectl"]),
        .plugin(name: "ManagedClasses", targets: ["ManagedClasses"]),
        .plugin(name: "ManagedAccessors", targets: ["ManagedAccessors"]),
    ] + (isForLinux ? runtimeProducts : []),
    traits: [
        .trait(
            name: "PostgreSQL",
            description: "Stores that many machines share over PostgreSQL; needs libpq."
        )
    ],
    targets: [
        .systemLibrary(
            name: "CSQLite",
            path: "Sources/Base/CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .target(
            name: "Threads",
            path: "Sources/Base/Threads",
            swiftSettings: strict
        ),
        .target(
            name: "MergeStack",
            dependencies: ["Threads"] + coreData,
            swiftSettings: strict
        ),
        .target(
            name: "MergeExchange",
            dependencies: ["MergeStack", "Threads"] + coreData,
            swiftSettings: strict
        ),
        .target(
            name: "LegacyFinders",
            dependencies: ["MergeStack"] + coreData,
            path: "Sources/Legacy/LegacyFinders",
            swiftSettings: strict
        ),
        .target(
            name: "StoreInspection",
            dependencies: ["MergeExchange", "MergeStack"] + coreData,
            path: "Sources/Tools/StoreInspection",
            swiftSettings: strict
        ),
        .target(
            name: "BenchClasses",
            dependencies: coreData,
            path: "Sources/Tools/BenchClasses",
            swiftSettings: strict,
            plugins: ["ManagedAccessors"]
        ),
        .target(
            name: "MergeBench",
            dependencies: [
                "BenchClasses", "CSQLite", "MergeStack", "SeededRandom", "Threads",
            ] + coreData + postgreSQL,
            path: "Sources/Tools/MergeBench",
            swiftSettings: strict,
            plugins: ["ManagedAccessors"]
        ),
        .target(
            name: "SeededRandom",
            path: "Sources/Tools/SeededRandom",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "import-bench",
            dependencies: ["MergeBench", "MergeExchange", "MergeStack"] + coreData,
            path: "Sources/Tools/ImportBench",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "mergectl",
            dependencies: [
                "MergeBench", "MergeExchange", "MergeStack", "ModelClasses", "Porting",
                "StoreInspection", "Threads",
            ] + coreData,
            path: "Sources/Tools/MergeCtl",
            swiftSettings: strict
        ),
        .target(
            name: "SwiftSource",
            path: "Sources/Tools/SwiftSource",
            swiftSettings: strict
        ),
        .target(
            name: "Markup",
            path: "Sources/Base/Markup",
            swiftSettings: strict
        ),
        .target(
            name: "ModelClasses",
            dependencies: ["Markup"],
            path: "Sources/Tools/ModelClasses",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "managed-classes",
            dependencies: ["ModelClasses"],
            path: "Sources/Tools/ManagedClassesTool",
            swiftSettings: strict
        ),
        .plugin(
            name: "ManagedClasses",
            capability: .buildTool(),
            dependencies: ["managed-classes"]
        ),
        .testTarget(
            name: "ModelClassesTests",
            dependencies: ["ModelClasses", "TestSupport"],
            path: "Tests/Tools/ModelClassesTests",
            swiftSettings: strict
        ),
        .target(
            name: "Porting",
            dependencies: ["SwiftSource"],
            path: "Sources/Tools/Porting",
            swiftSettings: strict
        ),
        .testTarget(
            name: "PortingTests",
            dependencies: ["Porting", "SwiftSource"],
            path: "Tests/Tools/PortingTests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "SwiftSourceTests",
            dependencies: ["SwiftSource"],
            path: "Tests/Tools/SwiftSourceTests",
            swiftSettings: strict
        ),
        .testTarget(name: "HouseTests", dependencies: ["SwiftSource"], swiftSettings: strict),
        .target(
            name: "AccessorGenerator",
            dependencies: ["SwiftSource"],
            path: "Sources/Tools/AccessorGenerator",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "managed-accessors",
            dependencies: ["AccessorGenerator"],
            path: "Sources/Tools/ManagedAccessorsTool",
            swiftSettings: strict
        ),
        .plugin(
            name: "ManagedAccessors",
            capability: .buildTool(),
            dependencies: ["managed-accessors"]
        ),
        .target(
            name: "TestSupport",
            dependencies: ["SeededRandom", "Threads"] + coreData,
            path: "Tests/Support/TestSupport",
            swiftSettings: strict
        ),
        .target(
            name: "RandomRuns",
            dependencies: ["MergeStack", "SeededRandom", "TestSupport"] + coreData,
            path: "Tests/Random/RandomRuns",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "random-runs",
            dependencies: ["RandomRuns"],
            path: "Tests/Random/RandomRunner",
            swiftSettings: strict
        ),
        .testTarget(
            name: "RandomTests",
            dependencies: ["RandomRuns", "random-runs"],
            path: "Tests/Random/RandomTests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "CoreDataConformanceTests",
            dependencies: ["TestSupport"] + coreData,
            swiftSettings: strict
        ),
        .testTarget(
            name: "ThreadsTests",
            dependencies: ["Threads"],
            path: "Tests/Base/ThreadsTests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "MarkupTests",
            dependencies: ["Markup"],
            path: "Tests/Base/MarkupTests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "AccessorGeneratorTests",
            dependencies: ["AccessorGenerator"],
            path: "Tests/Tools/AccessorGeneratorTests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "LegacyClientTests",
            dependencies: ["MergeStack"] + runtime("CoreData", "LegacyFoundation"),
            resources: [.process("Library.xcdatamodeld")],
            swiftSettings: legacy,
            plugins: ["ManagedAccessors"]
        ),
        // Layouts as clients write them: the package's own members are out of its sight.
        .target(
            name: "OutsideLayouts",
            dependencies: ["MergeStack"] + coreData,
            path: "Tests/Support/OutsideLayouts",
            packageAccess: false,
            swiftSettings: strict
        ),
        .target(
            name: "StackSupport",
            dependencies: ["MergeStack", "OutsideLayouts", "TestSupport", "Threads"] + coreData,
            path: "Tests/Support/StackSupport",
            swiftSettings: strict
        ),
        .testTarget(
            name: "MergeStackTests",
            dependencies: ["MergeStack", "StackSupport", "TestSupport", "Threads"] + coreData,
            swiftSettings: strict
        ),
        .testTarget(
            name: "MergeExchangeTests",
            dependencies: [
                "MergeExchange", "MergeStack", "StackSupport", "StoreInspection", "TestSupport",
                "Threads",
            ] + coreData,
            swiftSettings: strict
        ),
        .testTarget(
            name: "LegacyFindersTests",
            dependencies: ["LegacyFinders", "MergeStack", "StackSupport", "TestSupport"] + coreData,
            path: "Tests/Legacy/LegacyFindersTests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "MergeCtlTests",
            dependencies: ["MergeStack", "TestSupport", "mergectl"] + coreData,
            path: "Tests/Tools/MergeCtlTests",
            swiftSettings: strict
        ),
        .testTarget(
            name: "MergeBenchTests",
            dependencies: ["MergeBench", "MergeStack", "SeededRandom", "TestSupport"] + coreData,
            path: "Tests/Tools/MergeBenchTests",
            swiftSettings: strict
        ),
    ] + (isForLinux ? runtimeTargets : [])
)
