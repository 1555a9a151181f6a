extension NSPersistentStore {
    /// What `migrationManagerClass()` gives where no store class overrides it.
    class var standardMigrationManager: NSMigrationManager.Type { NSMigrationManager.self }
}
