import Foundation
import TestSupport
import Testing

@testable import CoreData

/// The names depend on each other; what a couple has is told to both.
private final class Partner: NSManagedObject {
    override class func keyPathsForValuesAffectingValue(forKey key: String) -> Set<String> {
        switch key {
        case "first": ["last"]
        case "last": ["middle"]
        case "middle": ["first", "last"]
        case "savings": ["wage", "spouse.savings"]
        default: super.keyPathsForValuesAffectingValue(forKey: key)
        }
    }
}

/// Observing values that are computed from each other.
@Suite struct CyclicDependencyTests {
    private final class Counter: KeyValueObserver {
        var count = 0

        func observeValue(
            forKeyPath keyPath: String?,
            of object: Any?,
            change: [NSKeyValueChangeKey: Any]?,
            context: UnsafeMutableRawPointer?
        ) {
            count += 1
        }
    }

    private func withPartners(_ body: (Partner, Partner) throws -> Void) throws {
        let partner = makeEntity(
            "Partner",
            ["first", "middle", "last", "wage"].map { makeAttribute($0) }
        )
        partner.managedObjectClassName = NSStringFromClass(Partner.self)
        let spouse = makeRelationship("spouse", to: partner)
        spouse.inverseRelationship = spouse
        partner.properties.append(spouse)
        let stack = try TestStack(.inMemory, model: makeModel([partner]))
        let context = stack.makeContext()
        try withExtendedLifetime(stack) {
            try context.onQueue {
                let one = Partner(context: context), other = Partner(context: context)
                try body(one, other)
            }
        }
    }

    @Test(arguments: ["first", "middle", "last"])
    func keysThatNameEachOtherAreToldOfEachOtherOnce(key: String) throws {
        try withPartners { partner, _ in
            let counter = Counter()
            partner.addObserver(counter, forKeyPath: key, context: nil)
            for name in ["first", "middle", "last"] {
                counter.count = 0
                partner.setValue("A", forKey: name)
                #expect(counter.count == 1, "\(name)")
            }
            partner.removeObserver(counter, forKeyPath: key)
            partner.setValue("B", forKey: "last")
            #expect(counter.count == 1)
        }
    }

    @Test func objectsWhoseValuesDependOnEachOtherAreFollowedOnce() throws {
        try withPartners { partner, other in
            partner.setValue(other, forKey: "spouse")
            let counter = Counter()
            partner.addObserver(counter, forKeyPath: "savings", context: nil)
            for changed in [other, partner] {
                counter.count = 0
                changed.setValue("1", forKey: "wage")
                #expect(counter.count == 1)
            }
            partner.setValue(nil, forKey: "spouse")
            counter.count = 0
            other.setValue("2", forKey: "wage")
            #expect(counter.count == 0)
            partner.removeObserver(counter, forKeyPath: "savings")
        }
    }
}
