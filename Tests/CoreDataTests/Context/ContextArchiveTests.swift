import Foundation
import Testing

@testable import CoreData

/// Writes itself as a context with some settings.
final class ContextImpostor: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    private let settings: [String: Any]?

    init(_ settings: [String: Any]?) { self.settings = settings }
    init?(coder: NSCoder) { nil }
    func encode(with coder: NSCoder) {
        guard let settings else { return }
        var fields = DescriptionFields()
        for (key, value) in settings { fields[key] = value }
        fields.write(of: "the context", to: coder)
    }
}

/// Archives of contexts that another program may have written.
@Suite struct ContextArchiveTests {
    private func read(_ settings: [String: Any]?) throws -> NSManagedObjectContext? {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: ContextImpostor(settings),
            requiringSecureCoding: true
        )
        let unarchiver = try NSKeyedUnarchiver(forReadingFrom: data)
        unarchiver.decodingFailurePolicy = .setErrorAndReturn
        unarchiver.setClass(
            NSManagedObjectContext.self,
            forClassName: NSStringFromClass(ContextImpostor.self)
        )
        return unarchiver.decodeObject(
            of: NSManagedObjectContext.self,
            forKey: NSKeyedArchiveRootObjectKey
        )
    }

    @Test func settingsThatAreNotThereAreTheDefaults() throws {
        let type = NSManagedObjectContextConcurrencyType.privateQueueConcurrencyType
        let context = try #require(try read(["concurrencyType": Int(type.rawValue)]))
        #expect(context.concurrencyType == type && context.name == nil)
        #expect(context.stalenessInterval == -1)
        let policy = context.mergePolicy as? NSMergePolicy
        #expect(policy?.mergeType == .errorMergePolicyType)
    }

    @Test(arguments: [["concurrencyType": 99], ["name": 1], nil])
    func anArchiveWithoutAKnownKindOfContextIsNone(settings: [String: Int]?) throws {
        let context = try read(settings)
        #expect(context == nil)
    }
}
