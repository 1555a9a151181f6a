import Foundation
import Testing

@testable import CoreData

/// Inserts, changes, connects and deletes objects of whatever model a context has.
struct StoreExercise {
    private let context: NSManagedObjectContext
    private let round: Int

    init(_ context: NSManagedObjectContext, round: Int) {
        self.context = context
        self.round = round
    }

    private var entities: [NSEntityDescription] {
        (context.persistentStoreCoordinator?.managedObjectModel.entities ?? [])
            .filter { !$0.isAbstract }
            .sorted { ($0.name ?? "") < ($1.name ?? "") }
    }

    func run() throws {
        var made: [NSManagedObject] = []
        for (place, entity) in entities.enumerated() {
            for number in 0..<(isNeeded(entity) ? 9 : 3) {
                let object = NSEntityDescription.insertNewObject(
                    forEntityName: try #require(entity.name),
                    into: context
                )
                fill(object, seed: 1_000 * (round * 100 + place) + 10 * number)
                made.append(object)
            }
        }
        for object in made { connect(object, with: made) }
        try context.save()
        for (index, object) in made.enumerated() where index % 3 == 1 {
            fill(object, seed: 100_000_000 + 1_000 * (round * 100 + index))
            connect(object, with: made.reversed())
        }
        try context.save()
        for entity in entities {
            let request = NSFetchRequest<NSManagedObject>(entityName: try #require(entity.name))
            request.fetchLimit = 2
            for object in try context.fetch(request) where !object.isDeleted {
                context.delete(object)
                do {
                    try context.save()
                } catch {
                    // Objects that must not lose this one; what a rule denies is no matter here.
                    context.rollback()
                }
            }
        }
    }

    /// Whether objects of other entities each need one of these.
    private func isNeeded(_ entity: NSEntityDescription) -> Bool {
        entities.contains { other in
            other.relationshipsByName.values.contains {
                $0.isToMany && !$0.isOptional && $0.destinationEntity == entity
            }
        }
    }

    /// Gives every attribute a value; no two objects get the same ones.
    private func fill(_ object: NSManagedObject, seed: Int) {
        for property in object.entity.properties {
            guard let attribute = property as? NSAttributeDescription,
                !(attribute is NSDerivedAttributeDescription)
            else { continue }
            let value = value(attribute, seed)
            if value != nil { object.setValue(value, forKey: attribute.name) }
        }
    }

    private func value(_ attribute: NSAttributeDescription, _ seed: Int) -> Any? {
        switch attribute.attributeType {
        case .integer16AttributeType: Int16(seed % 30_000)
        case .integer32AttributeType: Int32(seed % 2_000_000_000)
        case .integer64AttributeType: Int64(seed) << 30
        case .booleanAttributeType: seed % 20 == 0
        case .doubleAttributeType: Double(seed) + 0.25
        case .floatAttributeType: Float(seed % 1_000) + 0.5
        case .decimalAttributeType: NSDecimalNumber(value: Double(seed) + 0.5)
        case .stringAttributeType: "\(attribute.name) ü \(seed)"
        // Before 2001, and with a fraction.
        case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 0.125 - Double(seed))
        case .binaryDataAttributeType:
            Data(repeating: UInt8(seed % 251), count: seed % 20 == 0 ? 200_000 : 40)
        case .UUIDAttributeType: UUID()
        // The transformer and the class of the value are not here: the default form serves.
        case .transformableAttributeType: attribute.isOptional ? nil : "\(attribute.name) \(seed)"
        case .URIAttributeType: URL(string: "https://example.org/\(seed)")
        default: nil
        }
    }

    /// Whether an object can be taken without leaving the one that has it short of what it needs.
    private func mayTake(
        _ other: NSManagedObject,
        by relationship: NSRelationshipDescription
    ) -> Bool {
        guard let inverse = relationship.inverseRelationship else { return true }
        if inverse.isToMany {
            let others = other.value(forKey: inverse.name) as? Set<NSManagedObject> ?? []
            return inverse.isOptional || others.isEmpty
        }
        return relationship.isOptional || other.value(forKey: inverse.name) == nil
    }

    /// Connects an object with others of the right entities.
    private func connect(_ object: NSManagedObject, with others: [NSManagedObject]) {
        for (name, relationship) in object.entity.relationshipsByName.sorted(by: { $0.key < $1.key }
        ) {
            guard let destination = relationship.destinationEntity else { continue }
            let possible = others.filter {
                $0 !== object && $0.entity.isKindOf(entity: destination)
            }
            var fitting = possible.filter { mayTake($0, by: relationship) }
            let isShared = relationship.inverseRelationship?.isToMany ?? true
            if fitting.isEmpty, !relationship.isToMany, isShared { fitting = possible }
            guard let first = fitting.first else { continue }
            if !relationship.isToMany {
                if object.value(forKey: name) == nil { object.setValue(first, forKey: name) }
            } else if relationship.isOrdered {
                let all = object.mutableOrderedSetValue(forKey: name)
                for other in fitting.prefix(2) { all.insert(other, at: 0) }
            } else {
                let all = object.mutableSetValue(forKey: name)
                for other in fitting.prefix(relationship.isOptional ? 2 : 1) { all.add(other) }
            }
        }
    }
}
