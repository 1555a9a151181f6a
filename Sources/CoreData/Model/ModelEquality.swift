import Foundation

extension NSManagedObjectModel {
    /// Whether another model says the same of its entities and their classes, its configurations
    /// and its version.
    final func isSame(as other: NSManagedObjectModel) -> Bool {
        self === other
            || versionIdentifiers == other.versionIdentifiers
                && configurationNames == other.configurationNames
                && classNames == other.classNames
                && entityVersionHashesByName == other.entityVersionHashesByName
    }

    private var classNames: [String: String?] {
        entitiesByName.mapValues(\.givenClassName)
    }

    private var configurationNames: [String: Set<String?>] {
        let names = configurations.map { name in
            (name, Set((entities(forConfigurationName: name) ?? []).map(\.name)))
        }
        return Dictionary(uniqueKeysWithValues: names)
    }
}
