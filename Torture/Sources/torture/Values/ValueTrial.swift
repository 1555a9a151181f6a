import CoreData
import Foundation
import MergeExchange
import MergeStack

/// Puts one value through all that a store does with values.
struct ValueTrial {
    let hostile: HostileValue
    let folder: URL

    private static let kinds = [
        NSSQLiteStoreType, NSBinaryStoreType, NSXMLStoreType, NSInMemoryStoreType,
    ]
    private var key: String { hostile.key }

    func run() throws -> [String] {
        if case .refused(let code) = hostile.documented {
            return try Self.kinds.flatMap { try refuse($0, code) } + refuseBatches()
        }
        return try Self.kinds.flatMap { kind in
            try store(kind).map { "\(kind): \($0)" }
        } + batch() + ExportFormat.allCases.flatMap { try exchange($0) }
    }

    /// What is wrong with a value that has come back; nil if it is the one that is documented.
    private func departure(
        _ found: Any?,
        _ documented: HostileValue.Documented,
        isInColumn: Bool = true
    ) -> String? {
        var meant: Any? = hostile.value
        if case .storedAs(let value) = documented { meant = value }
        if case .rounded = documented, isInColumn, let found = found as? NSDecimalNumber,
            let meant = meant as? NSDecimalNumber, !found.decimalValue.isNaN
        {
            let difference = abs(found.doubleValue - meant.doubleValue)
            if difference <= abs(meant.doubleValue) * 1e-15 { return nil }
        }
        let (text, expected) = (Exact.text(found, of: key), Exact.text(meant, of: key))
        return text == expected ? nil : "\(text.prefix(200)) comes back for \(expected.prefix(200))"
    }

    /// Whether fetches can ask for it: not for what may be in a file, nor for what is no number,
    /// which columns have as a text.
    private var isSearched: Bool {
        !["object", "outside"].contains(key)
            && (hostile.value as? NSDecimalNumber)?.decimalValue.isNaN != true
    }

    private func url(_ kind: String) -> URL { folder.appendingPathComponent("Store.\(kind)") }

    private func open(_ kind: String) throws -> Stack {
        try Stack(url(kind), model: ValueModel.model, type: kind)
    }

    // MARK: What is stored

    private func store(_ kind: String) throws -> [String] {
        var stack = try open(kind)
        let context = stack.makeContext()
        try context.inQueue {
            let first = context.thing("first"), second = context.thing("second")
            context.thing("none")
            first.setValue(hostile.value, forKey: key)
            try context.save()
            // An update is another statement than an insert.
            second.setValue(hostile.value, forKey: key)
            try context.save()
        }
        if kind != NSInMemoryStoreType {
            try stack.close()
            stack = try open(kind)
        }
        defer { try? stack.close() }
        let reader = stack.makeContext()
        return try reader.inQueue {
            let things = try reader.things()
            var wrong: [String] = []
            for thing in things.prefix(2) {
                wrong += [
                    departure(
                        thing.value(forKey: key),
                        hostile.documented,
                        isInColumn: kind == NSSQLiteStoreType
                    )
                ].compactMap(\.self)
            }
            if things.count != 3 || things[2].value(forKey: key) != nil {
                wrong.append("another object has another value")
            }
            return try wrong + search(reader, things) + sort(reader) + sections(reader)
        }
    }

    /// Predicates find it in the store as they do in memory.
    private func search(
        _ context: NSManagedObjectContext,
        _ things: [NSManagedObject]
    ) throws -> [String] {
        guard isSearched, let value = things[0].value(forKey: key) else { return [] }
        var wrong: [String] = []
        let comparisons = ["==", "!=", "IN"] + (["data", "uuid"].contains(key) ? [] : ["<="])
        for comparison in comparisons {
            let operand: Any = comparison == "IN" ? [value] : value
            let predicate = NSPredicate(
                format: "%K \(comparison) %@",
                argumentArray: [key, operand]
            )
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.predicate = predicate
            request.sortDescriptors = [NSSortDescriptor(key: "thingID", ascending: true)]
            let found = try context.fetch(request).map(\.thingID)
            let meant = comparison == "!=" ? ["none"] : ["first", "second"]
            if found != meant { wrong.append("\(comparison) finds \(found)") }
            let evaluated = things.filter { predicate.evaluate(with: $0) }.map(\.thingID)
            if evaluated != found { wrong.append("\(comparison) holds for \(evaluated)") }
            // A format string has an end.
            if let data = value as? Data, data.count > 500_000 { continue }
            let again = try NSPredicate.parse(predicate.formatString)
            if again != predicate { wrong.append("\(comparison) is another one when printed") }
        }
        return wrong
    }

    private func sort(_ context: NSManagedObjectContext) throws -> [String] {
        guard isSearched else { return [] }
        return try [true, false].compactMap { isAscending in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
            request.sortDescriptors = [
                NSSortDescriptor(key: key, ascending: isAscending),
                NSSortDescriptor(key: "thingID", ascending: true),
            ]
            let found = try context.fetch(request).map(\.thingID)
            let meant = isAscending ? ["none", "first", "second"] : ["first", "second", "none"]
            return found == meant ? nil : "sorted by it the objects are \(found)"
        }
    }

    /// A list has a section for each value that there is.
    private func sections(_ context: NSManagedObjectContext) throws -> [String] {
        guard ["text", "int16", "int32", "int64", "flag", "double", "uri"].contains(key) else {
            return []
        }
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        request.sortDescriptors = [NSSortDescriptor(key: key, ascending: true)]
        let controller = NSFetchedResultsController(
            fetchRequest: request,
            managedObjectContext: context,
            sectionNameKeyPath: key,
            cacheName: nil
        )
        try controller.performFetch()
        let counts = controller.sections?.map(\.numberOfObjects) ?? []
        // Nil and an empty text have the same name.
        let isNameless = hostile.value as? String == ""
        return counts == (isNameless ? [3] : [1, 2]) ? [] : ["its sections have \(counts) objects"]
    }

    // MARK: Batches

    private func batch() throws -> [String] {
        // Values that are kept outside, and objects, stay inside of batches as they are.
        let stack = try Stack(
            folder.appendingPathComponent("Batch.sqlite"),
            model: ValueModel.model
        )
        let context = stack.makeContext()
        let found = try context.inQueue {
            try context.execute(
                NSBatchInsertRequest(
                    entityName: "Thing",
                    objects: [
                        ["thingID": "first", key: hostile.value], ["thingID": "second"],
                    ]
                )
            )
            let update = NSBatchUpdateRequest(entityName: "Thing")
            update.predicate = NSPredicate(format: "thingID == 'second'")
            update.propertiesToUpdate = [key: hostile.value]
            try context.execute(update)
            return try context.things().map { departure($0.value(forKey: key), hostile.documented) }
        }
        try stack.close()
        return found.count == 2
            ? found.compactMap(\.self).map { "batches: \($0)" } : ["a batch is lost"]
    }

    private func refuseBatches() throws -> [String] {
        let stack = try Stack(
            folder.appendingPathComponent("Batch.sqlite"),
            model: ValueModel.model
        )
        let context = stack.makeContext()
        let update = NSBatchUpdateRequest(entityName: "Thing")
        update.propertiesToUpdate = [key: hostile.value]
        let requests: [NSPersistentStoreRequest] = [
            NSBatchInsertRequest(
                entityName: "Thing",
                objects: [["thingID": "refused", key: hostile.value]]
            ), update,
        ]
        let wrong = try context.inQueue {
            context.thing("there")
            try context.save()
            var wrong: [String] = []
            for request in requests {
                do {
                    try context.execute(request)
                    wrong.append("\(type(of: request)) is not refused")
                } catch is CocoaError {}
            }
            context.reset()
            let values = try context.things().map { $0.value(forKey: key) }
            return values.count == 1 && values[0] == nil
                ? wrong : wrong + ["a batch that was refused has stored something"]
        }
        try stack.close()
        return wrong
    }

    // MARK: What is refused

    private func refuse(_ kind: String, _ code: Int) throws -> [String] {
        let stack = try open(kind)
        let context = stack.makeContext()
        let wrong = try context.inQueue {
            let thing = context.thing("first")
            try context.save()
            thing.setValue(hostile.value, forKey: key)
            context.thing("second")
            var wrong: [String] = []
            do {
                try context.save()
                wrong.append("\(Exact.text(thing.value(forKey: key), of: key)) is not refused")
            } catch {
                let error = error as NSError
                if error.domain != NSCocoaErrorDomain || error.code != code {
                    wrong.append("\(Sentence.of(error)), and the documented error is \(code)")
                }
                if !context.hasChanges { wrong.append("the context is clean after the refusal") }
            }
            let other = stack.makeContext()
            let stored = try other.inQueue {
                try other.things().map { "\($0.thingID) \($0.value(forKey: key) ?? "nil")" }
            }
            if stored != ["first nil"] { wrong.append("\(stored) are in the store") }
            thing.setValue(nil, forKey: key)
            do {
                try context.save()
            } catch {
                wrong.append("a save without it fails: \(Sentence.of(error))")
            }
            return wrong
        }
        try stack.close()
        return wrong.map { "\(kind): \($0)" }
    }

    // MARK: Files of rows

    /// An import makes the same of what an export has written.
    private func exchange(_ format: ExportFormat) throws -> [String] {
        guard key != "object" else { return [] }
        let file = folder.appendingPathComponent("Things.\(format)")
        let places = ["Exported", "Imported"].map { name in
            folder.appendingPathComponent("\(name)-\(format).sqlite")
        }
        let stacks = try places.map { url in
            try SingleContextStack(
                model: ValueModel.model,
                stores: [NSPersistentStoreDescription(url: url)]
            )
        }
        defer {
            for stack in stacks {
                stack.invalidate()
                for store in stack.coordinator.persistentStores {
                    try? stack.coordinator.remove(store)
                }
            }
        }
        let context = stacks[0].makeBackgroundContext()
        try context.inQueue {
            context.thing("first").setValue(hostile.value, forKey: key)
            try context.save()
        }
        try Exporter(stack: stacks[0]).exportFileAndWait(
            to: file,
            entityName: "Thing",
            format: format
        )
        var options = ImportOptions()
        options.isStrict = true
        let isTabbed = format == .tsv
        _ = try Importer(stack: stacks[1], options: options).importFileAndWait(
            at: file,
            entityName: "Thing",
            format: isTabbed ? .tsv : format == .csv ? .csv : .json
        )
        let reader = stacks[1].makeBackgroundContext()
        // Only in columns does an empty text look like none.
        let isInColumns = format == .csv || format == .tsv
        let isEmpty = hostile.value as? String == "" || hostile.value as? Data == Data()
        let exchanged = isInColumns || !isEmpty ? hostile.exchanged : nil
        let found = try reader.inQueue {
            try reader.things().map {
                departure($0.value(forKey: key), exchanged ?? hostile.documented)
            }
        }
        return found.count == 1
            ? found.compactMap(\.self).map { "\(format): \($0)" } : ["\(format): a row is lost"]
    }
}

extension NSManagedObjectContext {
    @discardableResult
    fileprivate func thing(_ name: String) -> NSManagedObject {
        let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: self)
        thing.setValue(name, forKey: "thingID")
        return thing
    }

    /// All, in the order first, none or second.
    fileprivate func things() throws -> [NSManagedObject] {
        let order = ["first", "second", "none"]
        let request = NSFetchRequest<NSManagedObject>(entityName: "Thing")
        return try fetch(request).sorted {
            order.firstIndex(of: $0.thingID) ?? 3 < order.firstIndex(of: $1.thingID) ?? 3
        }
    }
}

extension NSManagedObject {
    fileprivate var thingID: String { value(forKey: "thingID") as? String ?? "?" }
}
