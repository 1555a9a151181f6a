import Foundation

/// A store that is made beside another one, whose place it will take: on the same disk, under a
/// hidden name that tells which process makes it.
struct InterimStore {
    /// What it is made for.
    enum Purpose: String, CaseIterable {
        case migrating, replacing
    }
    let url: URL
    private let folder: URL
    private let prefix: String

    init(beside store: URL, for purpose: Purpose) {
        // Beside the file itself and not beside a link to it, since a rename works within one file
        // system only.
        let place = URL(fileURLWithPath: ResolvedPath.of(store.standardizedFileURL.path))
        folder = place.deletingLastPathComponent()
        prefix = ".\(place.deletingPathExtension().lastPathComponent)-\(purpose.rawValue)-"
        let name = "\(prefix)\(getpid())-\(UUID().uuidString).\(place.pathExtension)"
        url = folder.appendingPathComponent(name)
    }

    /// Removes what processes that were killed have left beside a store, as far as that can be.
    static func removeLeftovers(beside store: URL) {
        for purpose in Purpose.allCases {
            do {
                try InterimStore(beside: store, for: purpose).removeLeftovers()
            } catch {
                // It does no harm, and goes with a later try.
            }
        }
    }

    /// Removes what a process that was killed has left.
    func removeLeftovers() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        for name in names {
            // The folder of external values has one more point before the name.
            // Only what processes have left that have ended: another one may be at work here.
            guard let start = name.range(of: prefix),
                start.lowerBound <= name.index(after: name.startIndex),
                let process = pid_t(name[start.upperBound...].prefix { $0 != "-" }),
                kill(process, 0) != 0, errno == ESRCH
            else { continue }
            try FileManager.default.removeItem(at: folder.appendingPathComponent(name))
        }
    }
}
