import Foundation

/// The sections of a results controller in a file of the caches folder, from one launch to the
/// next. Whatever goes wrong with the file, the sections are worked out from the objects instead.
///
/// > Threading: Any thread; files are replaced whole.
struct SectionCache {
    private struct Content: Codable {
        struct Section: Codable {
            let name: String
            let count: Int
        }
        /// What the sections depend on.
        let stamp: String
        let sections: [Section]
    }

    private let file: URL
    /// Says what the request and the store were at the moment.
    private let makeStamp: () -> String?
    private let stamp: String

    /// nil if something that the sections depend on can't be told, such as a block that sorts.
    init?(named name: String, makeStamp: @escaping () -> String?) {
        guard let file = Self.file(name), let stamp = makeStamp() else { return nil }
        self.file = file
        self.makeStamp = makeStamp
        self.stamp = stamp
    }

    /// The names of the sections, and how many objects each has; nil if they are not known, or
    /// those of another request or content.
    func read() -> [(name: String, count: Int)]? {
        guard let data = try? Data(contentsOf: file),
            let content = try? JSONDecoder().decode(Content.self, from: data),
            content.stamp == stamp
        else { return nil }
        return content.sections.map { ($0.name, $0.count) }
    }

    /// Whether everything is as it was when this was made.
    var isCurrent: Bool { makeStamp() == stamp }

    /// Keeps sections for the content that the store had when this was made.
    func write(_ list: ResultsList) {
        // With the stamp of before the fetch: if somebody has saved meanwhile, the next launch
        // meets another stamp and works the sections out anew.
        let content = Content(
            stamp: stamp,
            sections: list.sections.map { Content.Section(name: $0.name, count: $0.count) }
        )
        let folder = file.deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try? JSONEncoder().encode(content).write(to: file, options: .atomic)
    }

    /// Deletes a file, or all of them.
    static func delete(named name: String?) {
        guard let doomed = name.map(file) ?? folder else { return }
        try? FileManager.default.removeItem(at: doomed)
    }

    private static func file(_ name: String) -> URL? {
        // A name may have slashes, which would lead elsewhere.
        let encoded = name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? name
        return folder?.appendingPathComponent(encoded + ".json")
    }

    private static var folder: URL? {
        FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first?
            .appendingPathComponent(ProcessInfo.processInfo.processName)
            .appendingPathComponent("CoreDataSectionCaches")
    }
}

extension ResultsTracker {
    /// The cache for what the list is to be now. nil if there is to be none, or the context's own
    /// changes would be part of it.
    func sectionCache() throws -> SectionCache? {
        guard let cacheName, let sectionNameKeyPath, context.source.isStoreLevel else { return nil }
        let plan = try context.plan(request)
        let stores = context.stores(plan, request)
        guard stores.count == 1, let store = stores[0].stamped,
            !request.includesPendingChanges || context.changedObjects(plan).isEmpty
        else { return nil }
        // A descriptor with a comparator has no name by which the next launch could know it.
        let order: [String] = plan.sortDescriptors.compactMap { descriptor in
            descriptor.selector.map { "\(descriptor.key ?? "") \(descriptor.ascending) \($0)" }
        }
        guard order.count == plan.sortDescriptors.count else { return nil }
        let parts = [
            plan.layout.name, plan.layout.entity.versionHash.base64EncodedString(),
            "\(plan.includesSubentities)", plan.predicate?.formatString ?? "", "\(plan.limit)",
            "\(plan.offset)", sectionNameKeyPath, store.identifier ?? "",
        ]
        return SectionCache(named: cacheName) {
            store.contentStamp.map { stamp in
                (parts + order + [stamp]).joined(separator: "\n")
            }
        }
    }
}
