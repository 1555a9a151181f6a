import Foundation

// Clients ask their bundle for `Model.momd`, and for `Mapping.cdm`. The parameters here are not optional, so that calls
// with plain strings prefer these methods to Foundation's, which they fall back on.
extension Bundle {
    /// The URL of a resource; for a compiled model (`momd`, `mom`) or mapping model (`cdm`) that
    /// is not there, that of its source, which `NSManagedObjectModel` and `NSMappingModel` read as
    /// well.
    ///
    /// - Parameters:
    ///   - name: The resource's name.
    ///   - ext: Its extension.
    /// - Returns: nil if there is none.
    public func url(forResource name: String, withExtension ext: String) -> URL? {
        url(forResource: name, withExtension: String?.some(ext))
            ?? ModelLookup.source(of: name, withExtension: ext, in: self)
    }

    /// The URL of a resource in a subdirectory; see ``url(forResource:withExtension:)``.
    ///
    /// - Parameters:
    ///   - name: The resource's name.
    ///   - ext: Its extension.
    ///   - subpath: The directory below the bundle's resources, such as `Model.momd`.
    /// - Returns: nil if there is none.
    public func url(
        forResource name: String,
        withExtension ext: String,
        subdirectory subpath: String
    ) -> URL? {
        url(
            forResource: name,
            withExtension: String?.some(ext),
            subdirectory: String?.some(subpath)
        )
            ?? ModelLookup.source(of: name, withExtension: ext, subdirectory: subpath, in: self)
    }

    /// The URLs of all resources of a kind; if no compiled model (`momd`, `mom`) is there, those of
    /// their sources, which `NSManagedObjectModel` reads as well. The main bundle has those of the
    /// program's packages, too; a bundle of a class has not.
    ///
    /// - Parameters:
    ///   - ext: Their extension.
    ///   - subpath: The directory below the bundle's resources; nil for the resources themselves.
    /// - Returns: nil or empty if there are none.
    public func urls(
        forResourcesWithExtension ext: String,
        subdirectory subpath: String?
    ) -> [URL]? {
        let found: [NSURL]? = urls(
            forResourcesWithExtension: String?.some(ext),
            subdirectory: subpath
        )
        let own = found?.compactMap(\.absoluteURL)
        if let own, !own.isEmpty { return own }
        let sources = ModelLookup.sources(withExtension: ext, subdirectory: subpath, in: self)
        return sources.isEmpty ? own : sources
    }

    /// The path of a resource; see ``url(forResource:withExtension:)``.
    ///
    /// - Parameters:
    ///   - name: The resource's name.
    ///   - ext: Its extension.
    /// - Returns: nil if there is none.
    public func path(forResource name: String, ofType ext: String) -> String? {
        path(forResource: name, ofType: String?.some(ext))
            ?? ModelLookup.source(of: name, withExtension: ext, in: self)?.path
    }
}
