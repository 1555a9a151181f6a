import Baseline
import CoreData
import Foundation

// Runs workloads on the object layer beside bare SQLite in the same process, alternating, and prints the
// ratio of the best rounds. Usage: layer-bench [rows] [rounds]

let arguments = CommandLine.arguments.dropFirst().compactMap(Int.init)
let rowCount = arguments.first ?? 100_000
let roundCount = arguments.dropFirst().first ?? 5
let items = (0..<rowCount).map(Item.init)
let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("layer-bench-\(ProcessInfo.processInfo.processIdentifier)")
try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
defer {
    do { try FileManager.default.removeItem(at: folder) } catch { print(error) }
}

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = DispatchTime.now().uptimeNanoseconds
    try body()
    return Double(DispatchTime.now().uptimeNanoseconds - start) / 1e6
}

func measure(_ name: String, target: Double, raw: () throws -> Double, layer: () throws -> Double)
    throws
{
    var rawBest = Double.infinity, layerBest = Double.infinity
    for _ in 0..<roundCount {
        rawBest = min(rawBest, try raw())
        layerBest = min(layerBest, try layer())
    }
    let ratio = layerBest / rawBest
    print(
        "\(name.padding(toLength: 34, withPad: " ", startingAt: 0))"
            + String(
                format: " raw %8.1f ms  layer %8.1f ms  %5.2fx  target %.2fx",
                rawBest,
                layerBest,
                ratio,
                target
            )
    )
}

let bench = LayerBench(items: items, folder: folder)
try measure(
    "a insert, one save",
    target: 2.0,
    raw: { try bench.rawInsert(batch: rowCount) },
    layer: { try bench.layerInsert(batch: rowCount) }
)
try measure(
    "b insert, saves of 1,000",
    target: 1.8,
    raw: { try bench.rawInsert(batch: 1_000) },
    layer: { try bench.layerInsert(batch: 1_000) }
)
try measure(
    "c fetch all, read all (KVC)",
    target: 2.8,
    raw: bench.rawFetch,
    layer: bench.layerFetch
)
try measure("f update 10 %", target: 1.4, raw: bench.rawUpdate, layer: bench.layerUpdate)
try measure(
    "o open, read every row",
    target: 3.0,
    raw: bench.rawOpenAndRead,
    layer: { try bench.layerOpenAndRead(readsValues: false) }
)
try measure(
    "v open, read every value (KVC)",
    target: 3.0,
    raw: bench.rawOpenAndRead,
    layer: { try bench.layerOpenAndRead(readsValues: true) }
)
try measure(
    "b insert, saves of 1,000 (typed)",
    target: 1.8,
    raw: { try bench.rawInsert(batch: 1_000) },
    layer: { try bench.typedInsert(batch: 1_000) }
)
try measure(
    "c fetch all, read all (typed)",
    target: 1.6,
    raw: { try bench.rawFetch() },
    layer: { try bench.typedFetch() }
)
for access in LayerBench.Access.all {
    let costs = try bench.accessCosts(access)
    print(
        "\(access.name.padding(toLength: 34, withPad: " ", startingAt: 0))"
            + String(
                format: " typed %6.1f ns  by key %6.1f ns  %5.2f of it",
                costs.typed,
                costs.byKey,
                costs.typed / costs.byKey
            )
    )
}
