// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

// Apple's framework stands in for module `CoreData` where it exists, so the clean-room runtime
// and all that tests its internals are left out there.
#if os(macOS)
let coreData: [Target.Dependency] = []
let runtimeProducts: [Product] = []
let runtimeTargets: [Target] = []
#else
let coreData: [Target.Dependency] = ["CoreData"]
let runtimeProducts: [Product] = [
    .library(name: "CoreData", targets: ["CoreData"]),
    .library(name: "LegacyFoundation", targets: ["LegacyFoundation"]),
    .library(name: "LegacyCombine", targets: ["LegacyCombine"]),
    .library(name: "LegacyXCTest", targets: ["LegacyXCTest"]),
]
let runtimeTargets: [Target] = [
    .target(
        name: "CoreData",
        dependencies: ["CSQLite", "CSwiftRuntime", "Markup"],
        swiftSettings: strict
    ),
    .systemLibrary(name: "CSwiftRuntime"),
    .target(name: "LegacyFoundation", dependencies: ["CoreData"], swiftSettings: strict),
    .target(name: "LegacyCombine", dependencies: ["CoreData"], swiftSettings: strict),
    .target(name: "LegacyXCTest", dependencies: ["CoreData"], swiftSettings: strict),
    .testTarget(
        name: "LegacyXCTestTests",
        dependencies: ["CoreData", "LegacyXCTest"],
        swiftSettings: [.swiftLanguageMode(.v5)]
    ),
    .testTarget(
        name: "LegacyFoundationTests",
        dependencies: ["CoreData", "LegacyFoundation"],
        swiftSettings: strict
    ),
    .testTarget(
        name: "LegacyCombineTests",
        dependencies: ["CoreData", "LegacyCombine", "TestSupport"],
        swiftSettings: strict
    ),
    .target(name: "CSQLiteFaults", dependencies: ["CSQLite"], path: "Tests/CSQLiteFaults"),
    .testTarget(
        name: "CoreDataTests",
        dependencies: [
            "CoreData", "CSQLite", "CSQLiteFaults", "Markup", "StoreInspection", "TestSupport",
        ],
        swiftSettings: strict
    ),
]
#endif

let package = Package(
    name: "MergeStack",
    platforms: [.macOS(.v13), .iOS(.v16)],
    products: [
        .library(name: "MergeStack", targets: ["MergeStack"]),
        .library(name: "MergeExchange", targets: ["MergeExchange"]),
        .library(name: "LegacyFinders", targets: ["LegacyFinders"]),
        .library(name: "MergeBench", targets: ["MergeBench"]),
        .executable(name: "mergectl", targets: ["mergectl"]),
        .plugin(name: "ManagedClasses", targets: ["ManagedClasses"]),
        .plugin(name: "ManagedAccessors", targets: ["ManagedAccessors"]),
    ] + runtimeProducts,
    targets: [
        .systemLibrary(
            name: "CSQLite",
            pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"])]
        ),
        .target(name: "MergeStack", dependencies: coreData, swiftSettings: strict),
        .target(
            name: "MergeExchange",
            dependencies: ["MergeStack"] + coreData,
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
            name: "MergeBench",
            dependencies: ["CSQLite", "MergeStack", "SeededRandom"] + coreData,
            swiftSettings: strict,
            plugins: ["ManagedAccessors"]
        ),
        .target(name: "SeededRandom", swiftSettings: strict),
        .executableTarget(
            name: "mergectl",
            dependencies: [
                "MergeBench", "MergeExchange", "MergeStack", "ModelClasses", "Porting",
                "StoreInspection",
            ] + coreData,
            path: "Sources/MergeCtl",
            swiftSettings: strict
        ),
        .target(name: "SwiftSource", swiftSettings: strict),
        .target(name: "Markup", swiftSettings: strict),
        .target(name: "ModelClasses", dependencies: ["Markup"], swiftSettings: strict),
        .executableTarget(
            name: "managed-classes",
            dependencies: ["ModelClasses"],
            path: "Sources/ManagedClassesTool",
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
            swiftSettings: strict
        ),
        .target(name: "Porting", dependencies: ["SwiftSource"], swiftSettings: strict),
        .testTarget(
            name: "PortingTests",
            dependencies: ["Porting", "SwiftSource"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "SwiftSourceTests",
            dependencies: ["SwiftSource"],
            swiftSettings: strict
        ),
        .testTarget(name: "HouseTests", dependencies: ["SwiftSource"], swiftSettings: strict),
        .target(
            name: "AccessorGenerator",
            dependencies: ["SwiftSource"],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "managed-accessors",
            dependencies: ["AccessorGenerator"],
            path: "Sources/ManagedAccessorsTool",
            swiftSettings: strict
        ),
        .plugin(
            name: "ManagedAccessors",
            capability: .buildTool(),
            dependencies: ["managed-accessors"]
        ),
        .target(
            name: "TestSupport",
            dependencies: ["SeededRandom"] + coreData,
            path: "Tests/TestSupport",
            swiftSettings: strict
        ),
        .target(
            name: "RandomRuns",
            dependencies: ["MergeStack", "SeededRandom", "TestSupport"] + coreData,
            path: "Tests/RandomRuns",
            swiftSettings: strict
        ),
        .executableTarget(
            name: "random-runs",
            dependencies: ["RandomRuns"],
            path: "Tests/RandomRunner",
            swiftSettings: strict
        ),
        .testTarget(
            name: "RandomTests",
            dependencies: ["RandomRuns", "random-runs"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "CoreDataConformanceTests",
            dependencies: ["TestSupport"] + coreData,
            swiftSettings: strict
        ),
        .testTarget(
            name: "AccessorGeneratorTests",
            dependencies: ["AccessorGenerator"],
            swiftSettings: strict
        ),
        .testTarget(
            name: "ManagedAccessorsTests",
            dependencies: ["TestSupport", "ManagedAccessorsFixture"] + coreData,
            swiftSettings: strict,
            plugins: ["ManagedAccessors"]
        ),
        .target(
            name: "ManagedAccessorsFixture",
            dependencies: coreData,
            path: "Tests/ManagedAccessorsFixture",
            swiftSettings: strict,
            plugins: ["ManagedAccessors"]
        ),
        .testTarget(
            name: "LegacyClientTests",
            dependencies: ["MergeStack"] + coreData,
            resources: [.process("Library.xcdatamodeld")],
            swiftSettings: [
                .swiftLanguageMode(.v5), .treatWarning("SendableClosureCaptures", as: .error),
            ],
            plugins: ["ManagedAccessors"]
        ),
        // Layouts as clients write them: the package's own members are out of its sight.
        .target(
            name: "OutsideLayouts",
            dependencies: ["MergeStack"] + coreData,
            path: "Tests/OutsideLayouts",
            packageAccess: false,
            swiftSettings: strict
        ),
        .target(
            name: "StackSupport",
            dependencies: ["MergeStack", "OutsideLayouts", "TestSupport"] + coreData,
            path: "Tests/StackSupport",
            swiftSettings: strict
        ),
        .testTarget(
            name: "MergeStackTests",
            dependencies: ["MergeStack", "StackSupport", "TestSupport"] + coreData,
            swiftSettings: strict
        ),
        .testTarget(
            name: "MergeExchangeTests",
            dependencies: [
                "MergeExchange", "MergeStack", "StackSupport", "StoreInspection", "TestSupport",
            ] + coreData,
            swiftSettings: strict
        ),
        .testTarget(
            name: "LegacyFindersTests",
            dependencies: ["LegacyFinders", "MergeStack", "StackSupport", "TestSupport"] + coreData,
            swiftSettings: strict
        ),
        .testTarget(
            name: "MergeCtlTests",
            dependencies: ["MergeStack", "TestSupport", "mergectl"] + coreData,
            swiftSettings: strict
        ),
        .testTarget(
            name: "MergeBenchTests",
            dependencies: ["MergeBench", "MergeStack", "SeededRandom", "TestSupport"] + coreData,
            swiftSettings: strict
        ),
    ] + runtimeTargets
)
