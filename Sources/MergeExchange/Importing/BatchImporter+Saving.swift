import CoreData
import MergeStack

/// Saving what a batch changed, without what is not valid.
extension BatchImporter {
    /// Saves; objects that are not valid are taken out, and the rest is saved.
    func save(
        _ context: NSManagedObjectContext,
        _ objects: [(record: ImportRecord, object: NSManagedObject)]
    ) throws -> (problems: [ImportProblem], objects: Set<NSManagedObject>) {
        do {
            try stack.saveAndWait(context)
            return ([], [])
        } catch {
            var problems: [ImportProblem] = []
            var bad: Set<NSManagedObject> = []
            for (record, object) in objects {
                // Several records may be of one object: all of them are lost with it.
                do {
                    if object.isInserted {
                        try object.validateForInsert()
                    } else if object.isUpdated {
                        try object.validateForUpdate()
                    }
                } catch {
                    problems.append(problem(record, error as NSError))
                    bad.insert(object)
                }
            }
            // Not an object's fault: a full disk, for example.
            if bad.isEmpty { throw error }
            for object in bad {
                if object.isInserted {
                    context.delete(object)
                } else {
                    context.refresh(object, mergeChanges: false)
                }
            }
            if context.hasChanges { try stack.saveAndWait(context) }
            return (problems, bad)
        }
    }
}
