import Foundation
import PlantedTrap

/// The format of this run, from the argument `--format=NAME`.
private let format: FuzzedFormat = {
    let prefix = "--format="
    let argument = CommandLine.arguments.first { $0.hasPrefix(prefix) }
    let name = String(argument?.dropFirst(prefix.count) ?? "")
    guard let format = FuzzedFormat(rawValue: name) else {
        let names = FuzzedFormat.allCases.map(\.rawValue).joined(separator: ", ")
        fatalError("Say --format=NAME, one of \(names).")
    }
    return format
}()

/// Writes seeds of the project's own making into the corpus, the last argument, before libFuzzer
/// reads it.
@_cdecl("LLVMFuzzerInitialize")
public func initialize(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutableRawPointer
) -> CInt {
    guard let corpus = CommandLine.arguments.last, !corpus.hasPrefix("-") else { return 0 }
    do {
        let folder = URL(fileURLWithPath: corpus, isDirectory: true)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (index, seed) in try format.seeds().enumerated() {
            try format.read(seed)
            try seed.write(to: folder.appendingPathComponent("seed-\(index)"))
        }
    } catch {
        fatalError("The seeds of \(format.rawValue) could not be made: \(error)")
    }
    return 0
}

/// One round of libFuzzer: the bytes are read, or refused with an error.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    PlantedTrap.step(on: bytes, count)
    do {
        try format.read(Data(bytes: bytes, count: count))
    } catch {
        // A refusal is what most inputs deserve.
        return 0
    }
    return 0
}
