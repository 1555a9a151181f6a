import CTorture
import Foundation

/// A mistake that a sanitizer, or a run without a network, has to find.
enum PlantedMistake: String, CaseIterable {
    case leak
    case useAfterFree = "use-after-free"
    case overflow
    case network

    /// - Returns: The status to end with, where nothing has stopped the program.
    func make() -> Int32 {
        switch self {
        case .leak: planted_leak()
        case .useAfterFree: print(planted_use_after_free())
        case .overflow: print(planted_overflow(1))
        case .network:
            let code = planted_network()
            guard code == 0 else {
                print(String(cString: strerror(code)))
                return 1
            }
        }
        return 0
    }
}
