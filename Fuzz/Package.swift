// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

// A nested package, for libFuzzer brings a `main` of its own: `make fuzz` builds it with
// `--sanitize=fuzzer`, and ordinary builds never see it.
let package = Package(
    name: "Fuzz",
    dependencies: [.package(name: "MergeStack", path: "..")],
    targets: [
        .target(name: "PlantedTrap", swiftSettings: strict),
        .target(
            name: "PredicateFuzz",
            dependencies: ["PlantedTrap", .product(name: "CoreData", package: "MergeStack")],
            swiftSettings: strict
        ),
        .target(
            name: "FileFuzz",
            dependencies: ["PlantedTrap", .product(name: "CoreData", package: "MergeStack")],
            swiftSettings: strict
        ),
        .executableTarget(
            name: "file-fuzz",
            dependencies: ["FileFuzz"],
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]
        ),
        .executableTarget(
            name: "predicate-fuzz",
            dependencies: ["PredicateFuzz"],
            swiftSettings: strict,
            linkerSettings: [.unsafeFlags(["-sanitize=fuzzer"])]
        ),
    ]
)
