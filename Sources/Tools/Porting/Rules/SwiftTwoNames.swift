import SwiftSource

/// Rewrites the names of Foundation and Core Data that Swift 2 had, as far as code uses them that
/// saves, observes saves and merges them.
///
/// Swift 3 gave them their names of today, on all platforms. What may as well be the name of
/// somebody's own method is rewritten only beside a name that nobody else has.
enum SwiftTwoNames {
    static func apply(to file: inout PortingFile) {
        let source = file.source
        let isOfSwiftTwo = source.tokens.indices.contains { isUnmistakable($0, in: source) }
        guard isOfSwiftTwo else { return }
        let own = Set(
            source.tokens.indices.compactMap {
                source.isToken($0, "func") ? source.word($0 + 1) : nil
            }
        )
        for index in file.activeTokens {
            guard let name = source.word(index), !isDeclared(index, in: source) else { continue }
            if let call = calls[name], !own.contains(name),
                source.isToken(index - 1, ".") || source.isToken(index + 1, "(")
            {
                rename(call: index, as: call, in: &file)
            } else if source.isToken(index - 1, ".") {
                if let member = members[name] {
                    rename(member: index, as: member, in: &file)
                } else if let text = cases[name] {
                    replace(index, with: text, in: &file)
                }
            } else if let type = types[name] {
                replace(index, with: type, in: &file)
            } else if notifications.contains(name), !source.isToken(index + 1, ":") {
                let text = "NSNotification.Name." + name.dropLast("Notification".count)
                replace(index, with: text, in: &file)
            }
        }
    }

    /// Whether a token is a name that nothing but Swift 2 has.
    private static func isUnmistakable(_ index: Int, in source: SwiftSource) -> Bool {
        guard let name = source.word(index), !isDeclared(index, in: source) else { return false }
        return name.hasPrefix("dispatch_") && source.isToken(index + 1, "(")
            || types[name] != nil || notifications.contains(name) || cases[name] != nil
            || (calls[name].map { !$0.isShort } ?? false)
    }

    private static func isDeclared(_ index: Int, in source: SwiftSource) -> Bool {
        let introducers: Set<String> = ["func", "var", "let", "class", "case", "typealias"]
        return source.word(index - 1).map(introducers.contains) ?? false
    }

    private static func replace(_ index: Int, with text: String, in file: inout PortingFile) {
        file.note(index, "\(file.source.text(file.source.tokens[index])): \(text)")
        file.replace(tokens: index...index, with: text)
    }

    // MARK: Calls

    /// A method, and what the labels of its arguments are by now.
    private struct Call {
        let name: String
        /// The first label is of Swift 2's first argument, which had none.
        let labels: [String]
        /// Whether others may have a method of that name.
        var isShort = false
    }

    private static func rename(call index: Int, as call: Call, in file: inout PortingFile) {
        let source = file.source
        replace(index, with: call.name, in: &file)
        guard source.isToken(index + 1, "("), let end = source.closingBracket(of: index + 1),
            end > index + 2
        else { return }
        var labels = call.labels[...]
        if let first = labels.popFirst(), !first.isEmpty {
            file.insert("\(first): ", at: source.tokens[index + 2].range.lowerBound)
        }
        var position = index + 2
        while position < end {
            if source.isToken(position, ","), source.isToken(position + 2, ":"),
                let label = labels.popFirst()
            {
                file.replace(tokens: position + 1...position + 1, with: label)
            }
            position = (source.closingBracket(of: position) ?? position) + 1
        }
    }

    private static let calls: [String: Call] = [
        "mergeChangesFromContextDidSaveNotification": Call(
            name: "mergeChanges",
            labels: ["fromContextDidSave"]
        ),
        "executeFetchRequest": Call(name: "fetch", labels: [""], isShort: true),
        "executeRequest": Call(name: "execute", labels: [""], isShort: true),
        "existingObjectWithID": Call(
            name: "existingObject",
            labels: ["with"],
            isShort: true
        ),
        "objectWithID": Call(name: "object", labels: ["with"], isShort: true),
        "objectRegisteredForID": Call(
            name: "registeredObject",
            labels: ["for"],
            isShort: true
        ),
        "insertNewObjectForEntityForName": Call(
            name: "insertNewObject",
            labels: ["forEntityName", "into"]
        ),
        "entityForName": Call(name: "entity", labels: ["forEntityName", "in"], isShort: true),
        "refreshObject": Call(name: "refresh", labels: ["", "mergeChanges"], isShort: true),
        "deleteObject": Call(name: "delete", labels: [""], isShort: true),
        "performBlock": Call(name: "perform", labels: [""], isShort: true),
        "performBlockAndWait": Call(name: "performAndWait", labels: [""], isShort: true),
        "performSelectorOnMainThread": Call(
            name: "performSelector",
            labels: ["onMainThread", "with", "waitUntilDone"]
        ),
        "performSelectorInBackground": Call(
            name: "performSelector",
            labels: ["inBackground", "with"]
        ),
        "addPersistentStoreWithType": Call(
            name: "addPersistentStore",
            labels: ["ofType", "configurationName", "at", "options"]
        ),
        "obtainPermanentIDsForObjects": Call(
            name: "obtainPermanentIDs",
            labels: ["for"],
            isShort: true
        ),
    ]

    // MARK: Names

    /// Types, but for those whose old name Foundation still has.
    private static let types: [String: String] = [
        "NSNotificationCenter": "NotificationCenter",
        "NSThread": "Thread",
        "NSOperationQueue": "OperationQueue",
        "NSFileManager": "FileManager",
        "NSUserDefaults": "UserDefaults",
    ]

    private static func rename(member index: Int, as name: String, in file: inout PortingFile) {
        let source = file.source
        guard let type = source.word(index - 2), types[type] != nil,
            source.isToken(index + 1, "("), source.isToken(index + 2, ")")
        else { return }
        file.note(index, "\(source.text(source.tokens[index]))(): \(name)")
        file.replace(tokens: index...index + 2, with: name)
    }

    /// Methods of these types that are properties by now.
    private static let members: [String: String] = [
        "defaultCenter": "default", "isMainThread": "isMainThread", "currentThread": "current",
        "mainThread": "main", "mainQueue": "main", "currentQueue": "current",
        "defaultManager": "default", "standardUserDefaults": "standard",
    ]

    private static let cases: [String: String] = [
        "MainQueueConcurrencyType": "mainQueueConcurrencyType",
        "PrivateQueueConcurrencyType": "privateQueueConcurrencyType",
        "ConfinementConcurrencyType": "confinementConcurrencyType",
    ]

    private static let notifications: Set<String> = [
        "NSManagedObjectContextDidSaveNotification",
        "NSManagedObjectContextWillSaveNotification",
        "NSManagedObjectContextObjectsDidChangeNotification",
        "NSPersistentStoreCoordinatorStoresWillChangeNotification",
        "NSPersistentStoreCoordinatorStoresDidChangeNotification",
    ]
}
