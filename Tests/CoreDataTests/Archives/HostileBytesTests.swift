import Foundation
import Markup
import TestSupport
import Testing

@testable import CoreData

/// Whatever stands in a file from outside: reading it gives something or throws.
@Suite struct HostileBytesTests {
    /// Reads mutants; some must be refused, or the test would test nothing.
    private func attack(_ seeds: [Data], rounds: Int, _ read: (Data) throws -> Void) throws {
        var random = SplitMix(seed: 20_090_101)
        var refused = 0
        for seed in seeds {
            try read(seed)
            for _ in 0..<rounds {
                do {
                    try read(ByteMutation.mutated(seed, &random))
                } catch {
                    refused += 1
                }
            }
        }
        #expect(refused > 0)
    }

    /// A model of our own, and the compiled models and model caches at hand.
    private static func models() throws -> [Data] {
        let world = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Examples/World/World.xcdatamodeld")
            .standardizedFileURL
        let model = try NSManagedObjectModel(readingFrom: world)
        let own = [ModelArchiveWriter.Form.compiled, .cached].map {
            ModelArchiveWriter.data(model, $0).data
        }
        guard Samples.areThere("mom") else { return own }
        let root = try Samples.url("mom")
        let names = [
            "coredataplus-samplemodel/SampleModel.momd/SampleModel2.mom",
            "restkit-2012/bundle-a/RestKitCoreData.momd/RestKitCoreData.mom",
        ]
        return try own + names.map { try Data(contentsOf: root.appendingPathComponent($0)) }
    }

    @Test func mutatedModelsLoadOrAreRefused() throws {
        try attack(try Self.models(), rounds: 250) { data in
            let model = NSManagedObjectModel()
            try ModelArchiveReader.read(data, into: model)
            _ = model.layout
            _ = model.versionChecksum
            _ = model.copy()
            _ = ModelArchiveWriter.data(model, .compiled)
        }
    }

    @Test func mutatedModelCachesLoadOrAreRefused() throws {
        let caches = try Self.models().map { Deflater.deflate($0) }
        try attack(caches, rounds: 150) { data in
            let archive = try Inflater.inflate(data, maximumByteCount: 1 << 20)
            try ModelArchiveReader.read(archive, into: NSManagedObjectModel())
        }
    }

    @Test func mutatedPropertyListsLoadOrAreRefused() throws {
        let value: [String: Any] = [
            "hashes": ["Event": Data(repeating: 3, count: 32)], "text": "grüße", "number": 7,
            "list": ["a", 1.5, true, Date(timeIntervalSinceReferenceDate: 9)] as [Any],
        ]
        let seeds = try [PropertyListSerialization.PropertyListFormat.binary, .xml].map {
            try PropertyListSerialization.data(fromPropertyList: value, format: $0, options: 0)
        }
        try attack(seeds, rounds: 3000) { _ = try PropertyList.read($0).anyValue }
    }

    /// Archives of values of all kinds that are written, each alone, and one with all of them.
    private static func values() throws -> [Data] {
        let values: [Any] = [
            "grüße" as NSString, NSNumber(value: -7), NSNumber(value: 1.25),
            NSDate(timeIntervalSinceReferenceDate: 7.5), Data([1, 2, 3]) as NSData,
            UUID() as NSUUID, NSURL(string: "https://example.org/a?b=c") ?? NSNull(),
            NSArray(array: ["a", 1, ["b": Data()]] as [Any]),
            NSSet(array: [1, "x", NSOrderedSet(array: [2, [3]])]),
            NSOrderedSet(array: ["z", "a"]), NSDictionary(dictionary: ["k": ["x", "y"], "l": 2]),
        ]
        let builder = KeyedArchiveBuilder()
        let decimal = try builder.value(NSDecimalNumber(string: "1.5"))
        let keyed = builder.dictionary([(key: decimal, value: builder.set([decimal]))])
        return try (values + [NSArray(array: values)]).map { try TransformableValue.archive($0) }
            + [builder.data(root: keyed)]
    }

    /// Foundation has such an object, which optimized code takes for a `URL` and stops at.
    @Test func anAddressWithoutTextIsNoValue() throws {
        let address = try #require(NSURL(string: ""))
        #expect(URIKind.slotValue(address) == nil)
        #expect(NSExpression(forConstantValue: address).description != "nil")
        let archive = try TransformableValue.archive(address)
        #expect(throws: (any Error).self) {
            try TransformableValue.value(of: archive, allowing: TransformableValue.safeClasses)
        }
    }

    @Test func mutatedTransformableValuesLoadOrAreRefused() throws {
        try attack(try Self.values(), rounds: 300) { data in
            let read = try TransformableValue.value(
                of: data,
                allowing: TransformableValue.safeClasses
            )
            guard let read, let value = HashableDecimalNumber.hashable(read) as? NSObject else {
                return
            }
            _ = value.hash
            _ = value.isEqual(value.copy())
            _ = try TransformableValue.archive(read)
        }
    }

    /// A model with a part of each kind, which fuzzing starts from too, and the sources at hand.
    private static func sources() throws -> [Data] {
        let parts = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Fuzz/Corpus/Parts.xcdatamodel").standardizedFileURL
        let samples =
            Samples.areThere("xcdatamodel")
            ? try Samples.files(in: "xcdatamodel", extensions: ["xcdatamodel"]) : []
        return try ([parts] + samples.prefix(12)).map {
            try Data(contentsOf: $0.appendingPathComponent("contents"))
        }
    }

    @Test func mutatedModelSourcesLoadOrAreRefused() throws {
        try attack(try Self.sources(), rounds: 60) { data in
            let model = NSManagedObjectModel()
            let root = try MarkupReader.read([UInt8](data))
            try ModelFileReader(url: URL(fileURLWithPath: "/contents")).read(root, into: model)
            _ = model.layout
            _ = model.versionChecksum
            _ = ModelArchiveWriter.data(model, .compiled)
        }
    }
}
