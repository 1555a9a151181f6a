import Foundation

/// A defect that is planted where the variable `FUZZ_TRAP` is set: what looks for defects must find it.
public enum PlantedTrap {
    private static let isSet = ProcessInfo.processInfo.environment["FUZZ_TRAP"] != nil

    /// Stops at bytes that begin with a word of four, which nothing but the comparison that fails
    /// leads to.
    public static func step(on bytes: UnsafePointer<UInt8>, _ count: Int) {
        guard isSet, count >= 4 else { return }
        let word = UnsafeRawPointer(bytes).loadUnaligned(as: UInt32.self)
        guard UInt32(littleEndian: word) == 0x7061_7274 else { return }
        fatalError("the planted trap")
    }
}
