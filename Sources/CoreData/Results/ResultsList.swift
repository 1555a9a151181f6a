import Foundation

/// The sorted content of a results controller, cut into sections: one state of it, as a value.
struct ResultsList {
    struct Section {
        let name: String
        let start: Int
        var count: Int
    }
    private(set) var objects: ResultsObjects
    private(set) var sections: [Section]
    /// Whether objects have sections by name; there is one without a name otherwise.
    let isSectioned: Bool

    /// Cuts a sorted list into sections.
    ///
    /// - Parameter sectionNames: For each object the name of its section; nil for one section.
    init(_ objects: [NSManagedObject], sectionNames: [String]?) {
        self.objects = ResultsObjects(objects)
        isSectioned = sectionNames != nil
        if let sectionNames {
            var cut = SectionCut()
            for name in sectionNames { cut.append(name) }
            sections = cut.sections
        } else {
            sections = [Self.only(objects.count)]
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
        self.objects = ResultsObjects(objects)
        isSectioned = true
        var cut = SectionCut()
        for section in sections { cut.append(section.name, count: section.count) }
        self.sections = cut.sections
    }

    /// One section all the same, of no objects too: clients ask for the first one without looking.
    private static func only(_ count: Int) -> Section { Section(name: "", start: 0, count: count) }

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

    // MARK: Changes

    /// The next state, and which objects are in other chunks in it.
    func applying(_ edit: ResultsEdit) -> (list: ResultsList, entered: [ResultsObjects.Entry]) {
        var next = self
        let entered: [ResultsObjects.Entry]
        (next.objects, entered) = objects.applying(edit)
        next.sections = isSectioned ? sections(after: edit) : [Self.only(next.objects.count)]
        return (next, entered)
    }

    private func sections(after edit: ResultsEdit) -> [Section] {
        var cut = SectionCut()
        var section = 0, index = 0
        func pass(_ count: Int) {
            index += count
            if section < sections.count, index == sections[section].start + sections[section].count
            {
                section += 1
            }
        }
        /// Takes over what has not changed.
        func keep(upTo end: Int) {
            while index < end, section < sections.count {
                let old = sections[section]
                let count = min(end, old.start + old.count) - index
                cut.append(old.name, count: count)
                pass(count)
            }
        }
        var removed = edit.removed[...], inserted = edit.inserted[...], stayed = edit.stayed[...]
        while true {
            // The first of what is left; something may come before an object that goes or stays.
            let place = [inserted.first?.before, removed.first, stayed.first?.index]
                .compactMap { $0 }.min()
            guard let place else { break }
            keep(upTo: place)
            if let first = inserted.first, first.before == place {
                cut.append(first.sectionName)
                inserted.removeFirst()
            } else if let first = stayed.first, first.index == place {
                cut.append(first.sectionName)
                stayed.removeFirst()
                pass(1)
            } else {
                removed.removeFirst()
                pass(1)
            }
        }
        keep(upTo: objects.count)
        return cut.sections
    }
}

/// Puts together the sections of a list from its beginning.
private struct SectionCut {
    private(set) var sections: [ResultsList.Section] = []
    private var end = 0

    /// Appends objects of a section.
    mutating func append(_ name: String, count: Int = 1) {
        if sections.last?.name == name {
            sections[sections.count - 1].count += count
        } else {
            sections.append(.init(name: name, start: end, count: count))
        }
        end += count
    }
}
