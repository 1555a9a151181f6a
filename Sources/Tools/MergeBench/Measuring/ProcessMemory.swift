import Foundation

/// The memory that this process has in use, in bytes.
enum ProcessMemory {
    /// The most that was in use since the start, or since ``forgetPeak()``.
    static var peakByteCount: Int {
        status("VmHWM:") ?? usageByteCount
    }

    /// What is in use now; nil where the system has no `/proc`.
    static var byteCount: Int? { status("VmRSS:") }

    /// Lets the peak begin anew from what is in use now, where the system can (proc(5), clear_refs).
    static func forgetPeak() {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return }
        file.write(Data("5".utf8))
    }

    /// Gives back to the system what is free, so that it does not count as in use.
    ///
    /// - Returns: Whether the system can.
    static func giveBackFreed() -> Bool {
        #if canImport(Glibc)
        // Its header is no part of the module.
        guard let address = dlsym(nil, "malloc_trim") else { return false }
        _ = unsafeBitCast(address, to: (@convention(c) (Int) -> CInt).self)(0)
        return true
        #else
        return false
        #endif
    }

    private static func status(_ name: String) -> Int? {
        guard let data = FileManager.default.contents(atPath: "/proc/self/status") else {
            return nil
        }
        for line in String(decoding: data, as: UTF8.self).split(separator: "\n")
        where line.hasPrefix(name) {
            let kibibytes = line.dropFirst(name.count).split(whereSeparator: \.isWhitespace).first
            return kibibytes.flatMap { Int($0) }.map { $0 * 1024 }
        }
        return nil
    }

    /// What the system counts where there is no `/proc`.
    private static var usageByteCount: Int {
        #if os(Linux)
        return 0
        #else
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        // In bytes on Apple's systems; Linux, which has `/proc`, would say kibibytes.
        return usage.ru_maxrss
        #endif
    }
}
