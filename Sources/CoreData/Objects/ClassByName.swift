import Foundation

/// Finds classes by the names that models give.
enum ClassByName {
    /// The class of a name: one with a module is looked for there; one without, or with a leading
    /// dot, in the module of the program too.
    static func find(_ name: String) -> AnyClass? {
        let plain = name.hasPrefix(".") ? String(name.dropFirst()) : name
        let program = ProcessInfo.processInfo.processName.replacingOccurrences(of: "-", with: "_")
        for candidate in [plain, "\(program).\(plain)"] {
            if let found = NSClassFromString(candidate) { return found }
        }
        return nil
    }
}
