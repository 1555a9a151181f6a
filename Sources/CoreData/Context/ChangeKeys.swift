/// Where the `userInfo` of a notification names what has changed.
enum ChangeKeys {
    static let inserted = [NSInsertedObjectsKey, NSInsertedObjectIDsKey]
    // Apple lets clients hand in the keys of objects-did-change, too: what was refreshed there is
    // read like an update.
    static let updated = [
        NSUpdatedObjectsKey, NSUpdatedObjectIDsKey, NSRefreshedObjectsKey, NSRefreshedObjectIDsKey,
    ]
    static let deleted = [NSDeletedObjectsKey, NSDeletedObjectIDsKey]
    static let all = inserted + updated + deleted
}
