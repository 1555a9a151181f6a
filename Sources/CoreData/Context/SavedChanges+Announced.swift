import Foundation

extension SavedChanges {
    /// What the `userInfo` of a did-save notification has.
    struct Announced {
        /// What contexts put there beside the objects; nil if a client has made the notification.
        private(set) var changes: SavedChanges?
        /// How many objects it names.
        private(set) var namedCount = 0

        /// Takes the same time for any number of objects.
        init(_ info: [AnyHashable: Any]) {
            // One pass: to look for each of the keys takes three times as long.
            for entry in info {
                guard let key = entry.key as? String else { continue }
                if ChangeKeys.all.contains(key) {
                    namedCount += Self.count(of: entry.value)
                } else if key == SavedChanges.key {
                    changes = entry.value as? SavedChanges
                }
            }
        }

        private static func count(of value: Any) -> Int {
            switch value {
            // What contexts post comes first: to look for a protocol takes several times as long.
            case let objects as Set<NSManagedObject>: objects.count
            case let collection as any Collection: collection.count
            case let set as NSSet: set.count
            default: 0
            }
        }
    }
}
