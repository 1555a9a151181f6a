import Foundation

/// A defect that is planted where the variable `FUZZ_TRAP` is set: what looks for defects must find it.
public enum PlantedTrap {
    private static let isSet = ProcessInfo.processInfo.environment["FUZZ_TRAP"] != nil

    /// Stops at bytes that begin with a word. Its letters are asked for one after the other, so that
    /// coverage tells of each that is right.
    public static func step(on bytes: UnsafePointer<UInt8>, _ count: Int) {
        guard isSet, count >= 4 else { return }
        guard bytes[0] == UInt8(ascii: "t") else { return }
        guard bytes[1] == UInt8(ascii: "r") else { return }
        guard bytes[2] == UInt8(ascii: "a") else { return }
        guard bytes[3] == UInt8(ascii: "p") else { return }
        fatalError("the planted trap")
    }
}
