import Foundation

extension FoundationArchive {
    /// A string whose runs have dictionaries of attributes; those of allowed classes only.
    func attributedString(
        _ object: ArchivedObject,
        _ reader: ArchivedValueReader,
        allowing classes: [AnyClass]
    ) throws(ArchiveError) -> NSAttributedString {
        guard let text = try object.string("NSString") else { throw object.malformed("NSString") }
        let result = NSMutableAttributedString(string: text)
        let runs = try runs(object, reader, allowing: classes)
        var location = 0
        for run in runs {
            let length = run.length ?? result.length
            // Subtracted, since the sum with a crafted length could overflow.
            guard length >= 0, length <= result.length - location else {
                throw object.malformed("NSAttributeInfo")
            }
            let range = NSRange(location: location, length: length)
            // Runs can share a dictionary. Uncounted, many short runs with one large dictionary
            // would make a string far larger than the archive.
            let effort = run.attributes.count * Self.effortOfAttribute
            try reader.add(ArchivedValueReader.Size(weight: 0, effort: effort))
            result.addAttributes(run.attributes, range: range)
            location += length
        }
        return self == .attributedString ? NSAttributedString(attributedString: result) : result
    }

    /// Foundation compares the dictionaries of neighbouring runs, which takes it about as long as the
    /// reader for this many values: some microseconds.
    private static let effortOfAttribute = 16

    private struct Run {
        /// nil for the whole string.
        let length: Int?
        let attributes: [NSAttributedString.Key: Any]
    }

    /// One dictionary for the whole string, or a list of them with pairs of a run's length and its
    /// dictionary's place.
    private func runs(
        _ object: ArchivedObject,
        _ reader: ArchivedValueReader,
        allowing classes: [AnyClass]
    ) throws(ArchiveError) -> [Run] {
        guard let attributes = try object.object("NSAttributes") else { return [] }
        guard object.fields["NSAttributeInfo"] != nil else {
            return [
                Run(length: nil, attributes: try dictionary(attributes, reader, allowing: classes))
            ]
        }
        var dictionaries: [[NSAttributedString.Key: Any]] = []
        for element in try attributes.elements() {
            guard case .object(let element) = element else {
                throw object.malformed("NSAttributes")
            }
            dictionaries.append(try dictionary(element, reader, allowing: classes))
        }
        let numbers = try Self.numbers(object, "NSAttributeInfo")
        guard numbers.count % 2 == 0 else { throw object.malformed("NSAttributeInfo") }
        var runs: [Run] = []
        for index in stride(from: 0, to: numbers.count, by: 2) {
            guard dictionaries.indices.contains(numbers[index + 1]) else {
                throw object.malformed("NSAttributeInfo")
            }
            runs.append(
                Run(length: numbers[index], attributes: dictionaries[numbers[index + 1]])
            )
        }
        return runs
    }

    private func dictionary(
        _ object: ArchivedObject,
        _ reader: ArchivedValueReader,
        allowing classes: [AnyClass]
    ) throws(ArchiveError) -> [NSAttributedString.Key: Any] {
        var attributes: [NSAttributedString.Key: Any] = [:]
        for (key, value) in try object.entries() {
            guard case .plain(.string(let name)) = key else { throw object.malformed("NS.keys") }
            attributes[NSAttributedString.Key(name)] = try reader.element(value, allowing: classes)
        }
        return attributes
    }
}
