import CoreData

extension WorkPlan.Transaction {
    /// Does it with managed objects, and saves nothing.
    ///
    /// - Parameters:
    ///   - context: The worker's.
    ///   - items: By number; the one with number 0 is never used.
    func carryOut(in context: NSManagedObjectContext, _ items: [Item]) throws {
        switch self {
        case .insert(let numbers):
            for number in numbers {
                let object = NSEntityDescription.insertNewObject(
                    forEntityName: "Item",
                    into: context
                )
                items[number].write(to: object)
            }
        case .update(let numbers):
            for object in try Self.objects(numbers, in: context) {
                // What changes is told by the plan's item, so that each layout writes the same
                // attributes.
                let item = items[Int(object.integer("number"))]
                item.updated.write(to: object, changedFrom: item)
            }
        case .delete(let numbers):
            for object in try Self.objects(numbers, in: context) { context.delete(object) }
        }
    }

    private static func objects(
        _ numbers: Range<Int>,
        in context: NSManagedObjectContext
    ) throws -> [NSManagedObject] {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Item")
        request.predicate = NSPredicate(
            format: "number >= %d AND number < %d",
            numbers.lowerBound,
            numbers.upperBound
        )
        return try context.fetch(request)
    }
}
