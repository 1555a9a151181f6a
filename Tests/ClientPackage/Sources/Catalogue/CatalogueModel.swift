import CoreData

public enum CatalogueModel {
    /// The model of today.
    public static func current() -> NSManagedObjectModel { model(at: source) }

    /// The model before its attribute `heading` became `title`.
    public static func first() -> NSManagedObjectModel {
        model(at: source.appendingPathComponent("Catalogue.xcdatamodel"))
    }

    private static var source: URL {
        guard let url = Bundle.module.url(forResource: "Catalogue", withExtension: "xcdatamodeld")
        else { fatalError("The resources are not beside the program.") }
        return url
    }

    private static func model(at url: URL) -> NSManagedObjectModel {
        guard let model = NSManagedObjectModel(contentsOf: url) else {
            fatalError("\(url.path) can't be read.")
        }
        return model
    }
}
