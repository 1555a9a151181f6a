import Foundation
import Testing

@testable import CoreData

@Suite struct ModelMatchTests {
    private func entity(_ name: String, _ identifier: String? = nil) -> NSEntityDescription {
        let entity = makeEntity(name)
        entity.renamingIdentifier = identifier
        return entity
    }

    private func pairs(
        _ source: [NSEntityDescription],
        _ destination: [NSEntityDescription]
    ) -> [String] {
        let match = ModelMatch(source: source, destination: destination)
        return match.pairs.map { "\($0.source.currentName)>\($0.destination.currentName)" }
            + match.added.map { "+\($0.currentName)" } + match.removed.map { "-\($0.currentName)" }
    }

    @Test func renamingGoesOnOverVersions() {
        let first = [entity("Car")]
        let second = [entity("Automobile", "Car")]
        let third = [entity("Vehicle", "Car")]
        #expect(pairs(first, second) == ["Car>Automobile"])
        #expect(pairs(second, third) == ["Automobile>Vehicle"])
        #expect(pairs(first, third) == ["Car>Vehicle"])
        #expect(pairs(third, first) == ["Vehicle>Car"])
        #expect(pairs(second, [entity("Vehicle", "Automobile")]) == ["Automobile>Vehicle"])
        #expect(pairs(second, [entity("Automobile")]) == ["Automobile>Automobile"])
    }

    @Test func anOldNameMayBeGivenToSomethingNew() {
        let first = [entity("Car")]
        let second = [entity("Car"), entity("Automobile", "Car")]
        #expect(pairs(first, second) == ["Car>Automobile", "+Car"])
        #expect(pairs(second, second) == ["Car>Car", "Automobile>Automobile"])
        #expect(pairs(first, [entity("Truck")]) == ["+Truck", "-Car"])
    }

    private func problems(
        _ source: [NSEntityDescription],
        _ destination: [NSEntityDescription]
    ) -> [String] {
        InferenceProblem.all(in: ModelMatch(source: source, destination: destination))
            .map { "\($0.entity).\($0.property ?? "")" }
    }

    @Test func hierarchiesDoNotMerge() {
        let parent = makeEntity("Parent")
        let below = [parent, makeEntity("One", parent: parent), makeEntity("Two", parent: parent)]
        let apart = [makeEntity("One"), makeEntity("Two")]
        #expect(problems(apart, below) == ["Two."])
        #expect(problems(below, apart) == [])
        #expect(problems([makeEntity("One")], below) == [])
    }

    @Test func relationshipsKeepTheirDestination() {
        func entities(_ name: String, _ type: NSAttributeType? = nil) -> [NSEntityDescription] {
            let wide = makeEntity("Wide"), narrow = makeEntity("Narrow", parent: wide)
            let other = makeEntity("Other")
            let all = [wide, narrow, other]
            let owner = makeEntity("Owner")
            owner.properties = [
                type.map { makeAttribute("end", $0) }
                    ?? makeRelationship("end", to: all.first { $0.name == name })
            ]
            return all + [owner]
        }
        #expect(problems(entities("Narrow"), entities("Wide")) == [])
        #expect(problems(entities("Wide"), entities("Narrow")) == ["Owner.end"])
        #expect(problems(entities("Wide"), entities("Other")) == ["Owner.end"])
        #expect(problems(entities("Wide"), entities("", .stringAttributeType)) == ["Owner.end"])
    }
}
