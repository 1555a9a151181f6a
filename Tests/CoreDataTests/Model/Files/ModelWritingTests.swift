import StoreInspection
import TestSupport
import Testing

@testable import CoreData

/// Compiled models as this module writes them.
@Suite struct ModelWritingTests {
    @Test(
        .enabled(if: Samples.areThere("xcdatamodel"), "needs shared/samples/xcdatamodel"),
        arguments: [ModelArchiveWriter.Form.compiled, .cached]
    )
    func whatIsWrittenIsReadBackEqual(form: ModelArchiveWriter.Form) throws {
        let models = try Samples.models()
        #expect(!models.isEmpty)
        for url in models {
            let model = try NSManagedObjectModel(readingFrom: url)
            let (data, omissions) = ModelArchiveWriter.data(model, form)
            #expect(ModelArchiveWriter.data(model, form).data == data)
            let read = NSManagedObjectModel()
            try ModelArchiveReader.read(data, into: read)
            let changes = ModelChanges(from: ModelOutline(model), to: ModelOutline(read))
            // How archives write the flags of a request is not known; one of the samples has some.
            let expected = omissions.isEmpty ? [] : ["fetch request FetchRequest: distinct yes → –"]
            #expect(changes.changedEntities == [], "\(url.path)")
            #expect(!changes.needsMigration, "\(url.path)")
            #expect(changes.otherLines == expected, "\(url.path)")
            #expect(read.unrecognizedParts == [])
        }
    }

    /// This text is how archives say nil.
    @Test(arguments: [ModelArchiveWriter.Form.compiled, .cached])
    func aTextThatLooksLikeNilIsKept(form: ModelArchiveWriter.Form) throws {
        let name = NSAttributeDescription()
        name.name = "name"
        name.attributeType = .stringAttributeType
        name.defaultValue = "$null"
        name.userInfo = ["$null": "$null"]
        let rule = NSPredicate(format: "SELF != '$null'")
        name.setValidationPredicates([rule], withValidationWarnings: ["$null"])
        let entity = NSEntityDescription()
        entity.name = "Item"
        entity.properties = [name]
        let model = NSManagedObjectModel()
        model.entities = [entity]
        let (data, omissions) = ModelArchiveWriter.data(model, form)
        #expect(omissions.isEmpty)
        let copy = NSManagedObjectModel()
        try ModelArchiveReader.read(data, into: copy)
        let read = try #require(copy.entitiesByName["Item"]?.attributesByName["name"])
        #expect(read.defaultValue as? String == "$null")
        #expect(read.userInfo as? [String: String] == ["$null": "$null"])
        #expect(read.validationPredicates == [rule])
        #expect(read.validationWarnings as? [String] == ["$null"])
    }

    /// The classes, fields and values of two archives, from the root on; what differs.
    private struct Comparison {
        var differences: [String] = []
        private var seen: Set<[Int]> = []
        private let ignored: Set<String> = [
            "$class", "CDMCompilerToolVersion", "CDMCompilerXcodeVersion",
        ]

        mutating func compare(_ ours: ArchivedValue, _ theirs: ArchivedValue, _ path: String) throws
        {
            // Which strings are mutable depends on how Xcode came by them.
            if let left = try text(ours), let right = try text(theirs) {
                if left != right { differences.append("\(path): \(left) for \(right)") }
                return
            }
            switch (ours, theirs) {
            case (.null, .null): return
            case (.plain(let left), .plain(let right)):
                if left != right { differences.append("\(path): \(left) for \(right)") }
            case (.object(let left), .object(let right)):
                guard seen.insert([left.place, right.place]).inserted else { return }
                try compare(left, right, path)
            default: differences.append("\(path): \(ours) for \(theirs)")
            }
        }

        private mutating func compare(
            _ ours: ArchivedObject,
            _ theirs: ArchivedObject,
            _ path: String
        ) throws {
            if ours.classNames != theirs.classNames {
                differences.append("\(path): \(ours.classNames) for \(theirs.classNames)")
                return
            }
            if ours.className.hasSuffix("Dictionary") {
                let (left, right) = (try entries(ours), try entries(theirs))
                for key in Set(left.keys).union(right.keys).sorted() {
                    try compare(left[key] ?? .null, right[key] ?? .null, "\(path).\(key)")
                }
                return
            }
            if ours.fields["NS.objects"] != nil {
                let (left, right) = (try ours.elements(), try theirs.elements())
                if left.count != right.count { differences.append("\(path): other count") }
                for (index, pair) in zip(left, right).enumerated() {
                    try compare(pair.0, pair.1, "\(path)[\(index)]")
                }
                return
            }
            for key in Set(ours.fields.keys).union(theirs.fields.keys).sorted()
            where !ignored.contains(key) {
                guard ours.fields[key] != nil, theirs.fields[key] != nil else {
                    let which = ours.fields[key] == nil ? "ours" : "theirs"
                    differences.append("\(path).\(key): missing in \(which)")
                    continue
                }
                try compare(try ours.value(key), try theirs.value(key), "\(path).\(key)")
            }
        }

        private func text(_ value: ArchivedValue) throws -> String? {
            switch value {
            case .plain(let plain): plain.string
            case .object(let object): try object.stringContent()
            case .null: nil
            }
        }

        private func entries(_ object: ArchivedObject) throws -> [String: ArchivedValue] {
            var entries: [String: ArchivedValue] = [:]
            for (key, value) in try object.entries() {
                guard case .plain(.string(let name)) = key else { continue }
                entries[name] = value
            }
            return entries
        }
    }

    @Test(.enabled(if: Samples.areThere("mom"), "needs shared/samples/mom"))
    func whatIsWrittenHasTheFormOfWhatXcodeWrites() throws {
        let compiled = try Samples.files(in: "mom", extensions: ["mom"])
        #expect(!compiled.isEmpty)
        for url in compiled {
            let data = try Data(contentsOf: url)
            let theirs = try KeyedArchive(data)
            let model = try NSManagedObjectModel(readingFrom: url)
            let ours = try KeyedArchive(ModelArchiveWriter.data(model, .compiled).data)
            var comparison = Comparison()
            try comparison.compare(try ours.root(), try theirs.root(), "model")
            #expect(comparison.differences == [], "\(url.lastPathComponent)")
        }
    }
}
