/// Writes the classes of a model as Xcode does.
///
/// The text is the same on all platforms: what needs Objective-C is within
/// `#if canImport(ObjectiveC)`. Source: Apple's article "Generating code".
///
/// > Threading: A value; any thread.
package struct ClassGenerator: Sendable {
    /// A file of generated source.
    package struct File: Sendable, Equatable {
        /// The file's name, such as `Person+CoreDataClass.swift`.
        package let name: String
        /// The source.
        package let text: String
    }

    /// Who sees the classes.
    package enum Access: String, CaseIterable, Sendable {
        /// All modules.
        case `public`
        /// The module that they are in.
        case `internal`
    }

    private let model: ModelSource
    private let access: Access
    private let includesManual: Bool

    /// - Parameters:
    ///   - model: The model.
    ///   - access: Who sees the classes.
    ///   - includesManual: Whether there are classes for entities whose classes are written by
    ///     hand, too.
    package init(_ model: ModelSource, access: Access = .public, includesManual: Bool = false) {
        self.model = model
        self.access = access
        self.includesManual = includesManual
    }

    /// Two files for each entity, or one where the class is written by hand, in the order of
    /// class names.
    package func files() -> [File] {
        model.entities.sorted { ($0.className ?? "") < ($1.className ?? "") }.flatMap { entity in
            guard let className = entity.className, let parts = parts(of: entity) else {
                return [File]()
            }
            return parts.map { part, text in
                let name = "\(className)+CoreData\(part).swift"
                return File(name: name, text: Self.header(name) + text)
            }
        }
    }

    /// All classes in one text.
    ///
    /// - Parameter name: The name of the file that it is for.
    package func text(named name: String) -> String {
        let files = model.entities.sorted { $0.name < $1.name }
            .compactMap { parts(of: $0)?.map(\.text).joined(separator: "\n") }
        return Self.header(name) + files.joined(separator: "\n")
    }

    private func parts(of entity: EntitySource) -> [(part: String, text: String)]? {
        guard let className = entity.className else { return nil }
        let writer = EntityWriter(
            entity: entity,
            className: className,
            superclassName: entity.parentName.flatMap(self.className),
            access: access == .public ? "public " : "",
            classNames: { self.className($0) ?? "NSManagedObject" }
        )
        let properties = (part: "Properties", text: writer.properties)
        switch entity.codeGeneration {
        case .definition: return [("Class", writer.definition), properties]
        case .category: return [properties]
        // By default nothing, or the class that the target has would be there twice.
        case .manual: return includesManual ? [("Class", writer.definition), properties] : nil
        }
    }

    private func className(_ entityName: String) -> String? {
        model.entities.first { $0.name == entityName }?.className
    }

    private static func header(_ name: String) -> String {
        """
        //
        //  \(name)
        //
        //  This file was automatically generated and should not be edited.
        //

        import CoreData
        import Foundation


        """
    }
}
