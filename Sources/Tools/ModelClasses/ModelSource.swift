import Foundation
import Markup

/// What the source of a model says about its classes: the current version of a `.xcdatamodeld`, a
/// `.xcdatamodel`, or a `contents` file.
///
/// It does not use Core Data: Apple's reads no sources of models, and classes are to be the same
/// on all platforms.
///
/// > Threading: A value; any thread.
package struct ModelSource: Sendable {
    /// The entities, in the order of the file.
    package let entities: [EntitySource]

    /// Reads a model.
    ///
    /// - Throws: ``ModelSourceError`` if it can't be read.
    package init(contentsOf url: URL) throws {
        let file = try ModelSourceDirectory.contentsURL(of: url)
        let root = try Self.markup(file)
        guard root.name == "model" else {
            throw ModelSourceError(file, "the root element is <\(root.name)>, not <model>")
        }
        entities = try root.children(named: "entity").map { try EntitySource($0, file: file) }
        // Checked here, for the writer would take the class of a missing entity for
        // `NSManagedObject` and hide the mistake.
        let names = Set(entities.map(\.name))
        for entity in entities {
            let others =
                entity.relationships.map(\.destination) + [entity.parentName].compactMap(\.self)
            if let missing = others.first(where: { !names.contains($0) }) {
                throw ModelSourceError(
                    file,
                    "the entity \"\(missing)\", which \"\(entity.name)\" refers to, does not exist"
                )
            }
        }
    }

    static func markup(_ url: URL) throws -> MarkupElement {
        let data = try Data(contentsOf: url)
        do throws(MarkupError) {
            return try MarkupReader.read([UInt8](data))
        } catch {
            throw ModelSourceError(url, "line \(error.line): \(error.message)")
        }
    }
}

/// A model that can't be read.
package struct ModelSourceError: LocalizedError {
    /// The file, what is wrong with it, and what to do.
    package let errorDescription: String?

    init(_ url: URL, _ problem: String) { errorDescription = "\(url.path): \(problem)." }
}
