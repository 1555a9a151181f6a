import Foundation

/// The list of a results controller at one moment, by identifiers: section names as `String`, items
/// as `NSManagedObjectID`. The type belongs to UIKit and AppKit; this is what results controllers
/// need of it, for reading only.
///
/// > Threading: Any thread.
open class NSDiffableDataSourceSnapshotReference: NSObject {
    private let list: [(name: String, items: [NSManagedObjectID])]
    /// The items whose objects have changed since the last snapshot and are still listed.
    public let reloadedItemIdentifiers: [Any]

    init(_ list: ResultsList, updated: [NSManagedObject]) {
        self.list = list.sections.map { section in
            let objects = list.objects[section.start..<section.start + section.count]
            return (section.name, objects.map(\.objectID))
        }
        reloadedItemIdentifiers = updated.map(\.objectID)
    }

    /// The number of items in all sections.
    open var numberOfItems: Int { list.reduce(0) { $0 + $1.items.count } }
    /// The number of sections.
    open var numberOfSections: Int { list.count }
    /// The names of the sections, in order.
    open var sectionIdentifiers: [Any] { list.map(\.name) }
    /// The IDs of all objects, in order.
    open var itemIdentifiers: [Any] { list.flatMap(\.items) }

    /// The number of items in a section; 0 if there is no such section.
    open func numberOfItems(inSection sectionIdentifier: Any) -> Int {
        section(sectionIdentifier)?.items.count ?? 0
    }

    /// The items of a section, in order; none if there is no such section.
    open func itemIdentifiersInSection(withIdentifier sectionIdentifier: Any) -> [Any] {
        section(sectionIdentifier)?.items ?? []
    }

    /// The section that an item is in; nil if the item is not listed.
    open func sectionIdentifier(forSectionContainingItemIdentifier itemIdentifier: Any) -> Any? {
        guard let id = itemIdentifier as? NSManagedObjectID else { return nil }
        return list.first { $0.items.contains(id) }?.name
    }

    /// The place of an item among all; `NSNotFound` if it is not listed.
    open func index(ofItemIdentifier itemIdentifier: Any) -> Int {
        guard let id = itemIdentifier as? NSManagedObjectID else { return NSNotFound }
        return list.flatMap(\.items).firstIndex(of: id) ?? NSNotFound
    }

    /// The place of a section; `NSNotFound` if there is none of this name.
    open func index(ofSectionIdentifier sectionIdentifier: Any) -> Int {
        list.firstIndex { $0.name == sectionIdentifier as? String } ?? NSNotFound
    }

    private func section(_ name: Any) -> (name: String, items: [NSManagedObjectID])? {
        list.first { $0.name == name as? String }
    }
}
