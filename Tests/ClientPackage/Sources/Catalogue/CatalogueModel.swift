import CoreData

public enum CatalogueModel {
    /// The model of today.
    public static func current() -> NSManagedObjectModel { model(at: source) }

    /// The model before its attribute `heading` became `title`.
    public static func first() -> NSManagedObjectModel {
        model(at: source.appendingPathComponent("Catalogue.xcdatamodel"))
    }

    private static var source: URL {
        Bundle.module.url(forResource: "Catalogue", withExtension: "xcdatamodeld")!
    }

    private static func model(at url: URL) -> NSManagedObjectModel {
        NSManagedObjectModel(contentsOf: url)!
    }
}
