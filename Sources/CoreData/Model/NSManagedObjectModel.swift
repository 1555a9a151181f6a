import Foundation
import Synchronization

/// A model: the entities of a store, their configurations and templates of requests.
///
/// > Threading: Change it on one thread until a coordinator uses it; it is frozen then.
open class NSManagedObjectModel: NSObject, @unchecked Sendable {
    // @unchecked: frozen before it is shared; the compiled layout is behind its lock.

    private let compiled = Mutex<ModelLayout?>(nil)

    /// An empty model.
    public override init() { super.init() }

    /// The entities. Setting it makes this model theirs.
    open var entities: [NSEntityDescription] = [] {
        willSet { precondition(!isFrozen, "Can't modify an immutable model.") }
        didSet { for entity in entities { entity.model = self } }
    }
    public var entitiesByName: [String: NSEntityDescription] {
        Dictionary(entities.map { ($0.name ?? "", $0) }, uniquingKeysWith: { $1 })
    }

    /// Whether the model is in use.
    var isFrozen: Bool { compiled.withLock { $0 != nil } }

    /// The compiled entities. The first call freezes the model.
    var layout: ModelLayout {
        compiled.withLock { compiled in
            if let compiled { return compiled }
            let layout = ModelLayout(self)
            compiled = layout
            return layout
        }
    }
}
