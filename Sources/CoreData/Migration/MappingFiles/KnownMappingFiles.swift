import Foundation

/// Between which versions mapping models are, as long as their files stay as they are.
///
/// Each step of a migration asks all mapping models of a program, and reading one takes long: a source
/// holds whole copies of its models.
enum KnownMappingFiles {
    private struct Entry {
        let files: FileStamps
        let versions: [[MappingEnds]]
    }

    /// How many files are remembered; a program has fewer, but for one that makes them.
    private static let maximumCount = 1_000
    private static let entries = Locked<[URL: Entry]>([:])

    /// Between which versions a mapping model is; nil if that is not known, or not any more.
    static func versions(of url: URL) -> [[MappingEnds]]? {
        guard let entry = entries.withLock({ $0[url] }), entry.files.areCurrent else { return nil }
        return entry.versions
    }

    /// - Parameter files: What the mapping model was read from.
    static func remember(_ url: URL, _ versions: [[MappingEnds]], from files: FileStamps) {
        guard files.tellChanges else { return }
        entries.withLock { entries in
            if entries.count >= maximumCount { entries.removeAll() }
            entries[url] = Entry(files: files, versions: versions)
        }
    }
}

/// The entities that a mapping is between, with their version hashes; names are nil at open ends.
struct MappingEnds {
    private let source: (name: String, hash: Data?)?
    private let destination: (name: String, hash: Data?)?

    init(_ mapping: NSEntityMapping) {
        source = mapping.sourceEntityName.map { ($0, mapping.sourceEntityVersionHash) }
        destination = mapping.destinationEntityName
            .map { ($0, mapping.destinationEntityVersionHash) }
    }

    func fit(from source: [String: Data], to destination: [String: Data]) -> Bool {
        func fits(_ end: (name: String, hash: Data?)?, _ hashes: [String: Data]) -> Bool {
            end.map { hashes[$0.name] == $0.hash } ?? true
        }
        return fits(self.source, source) && fits(self.destination, destination)
    }
}

extension [MappingEnds] {
    /// Whether mappings are from and to entities of those version hashes.
    ///
    /// Entities that no mapping names are not looked at: a mapping may leave them out.
    func fit(from source: [String: Data], to destination: [String: Data]) -> Bool {
        // Without this, a mapping model without mappings would fit all versions.
        !isEmpty && allSatisfy { $0.fit(from: source, to: destination) }
    }
}
