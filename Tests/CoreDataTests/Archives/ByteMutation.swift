import Foundation
import TestSupport

/// What an attacker, or a failing disk, makes of bytes.
enum ByteMutation {
    /// Changes a byte, a stretch or the length.
    static func mutated(_ whole: Data, _ random: inout SplitMix) -> Data {
        var bytes = [UInt8](whole)
        for _ in 0...random.below(3) where !bytes.isEmpty {
            let place = random.below(bytes.count)
            switch random.below(6) {
            case 0: bytes[place] = UInt8(random.below(256))
            case 1: bytes[place] ^= 1 << UInt8(random.below(8))
            case 2: bytes.removeSubrange(place..<min(bytes.count, place + 1 + random.below(40)))
            case 3:
                let source = random.below(bytes.count)
                let count = min(1 + random.below(30), bytes.count - max(place, source))
                bytes.replaceSubrange(place..<place + count, with: bytes[source..<source + count])
            case 4: bytes[place] = random.pick([0, 0x7F, 0x80, 0xFF, 0x0F, 0xDF, 0xAF])
            default: if random.chance(8) { bytes.removeSubrange(place...) }
            }
        }
        return Data(bytes)
    }
}
