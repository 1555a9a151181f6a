import Foundation

/// The sorted content of a results controller, cut into sections: one state of it, as a value.
struct ResultsList {
    struct Section {
        let name: String
        let start: Int
        var count: Int
    }
    private(set) var objects: [NSManagedObject] = []
    /// For each object the name of its section; empty without sections.
    private(set) var sectionNames: [String] = []
    private(set) var sections: [Section] = []

    /// Cuts a sorted list into sections.
    ///
    /// - Parameter sectionNames: For each object the name of its section; nil for one section.
    init(_ objects: [NSManagedObject], sectionNames: [String]?) {
        self.objects = objects
        guard let sectionNames else {
            // One section all the same, of no objects too: clients ask for the first one without
            // looking.
            sections = [Section(name: "", start: 0, count: objects.count)]
            return
        }
        self.sectionNames = sectionNames
        for (index, name) in sectionNames.enumerated() {
            if sections.last?.name == name {
                sections[sections.count - 1].count += 1
            } else {
                sections.append(Section(name: name, start: index, count: 1))
            }
        }
    }

    /// Cuts a list into sections that are known; nil if they are those of a list of another length.
    init?(_ objects: [NSManagedObject], sections: [(name: String, count: Int)]) {
        // They come from a file, which may be damaged: what does not fit the objects is refused.
        var rest = objects.count
        for section in sections {
            guard section.count > 0, section.count <= rest else { return nil }
            rest -= section.count
        }
        guard rest == 0 else { return nil }
        let names = sections.flatMap { repeatElement($0.name, count: $0.count) }
        self.init(objects, sectionNames: names)
    }

    /// The place of the object with a number in the flat list.
    func indexPath(_ flatIndex: Int) -> IndexPath {
        let section = section(of: flatIndex)
        return IndexPath(row: flatIndex - sections[section].start, section: section)
    }

    /// The section that the object with a number in the flat list is in.
    func section(of flatIndex: Int) -> Int {
        var low = 0, high = sections.count - 1
        while low < high {
            // Rounded up: rounded down, the search would not end with two sections left.
            let middle = (low + high + 1) / 2
            if sections[middle].start <= flatIndex { low = middle } else { high = middle - 1 }
        }
        return low
    }
}
