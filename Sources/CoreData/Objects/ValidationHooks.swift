import Foundation

/// Tells which classes override `validateValue(_:forKey:)`.
///
/// Calling it for each property of each object that is saved boxes every value, which takes most of
/// the time of an insertion; most classes don't override it. Nothing in the language says who does,
/// so this looks at the class's method table: its entry is `NSManagedObject`'s or another. Where
/// that entry is, two subclasses show, one with an override and one without.
///
/// If the two classes don't differ as expected, all classes count as overriding it.
///
/// > Threading: Any thread.
enum ValidationHooks {
    private class WithoutHook: NSManagedObject {}
    private final class WithHook: WithoutHook {
        override func validateValue(_ value: inout Any?, forKey key: String) throws {
            fatalError("WithHook is never instantiated.")
        }
    }

    /// The place of `validateValue(_:forKey:)` in the table; nil if it was not found.
    private static let entry: Int? = {
        let base = ClassMethodTable(NSManagedObject.self).entries
        let plain = ClassMethodTable(WithoutHook.self), hooked = ClassMethodTable(WithHook.self)
        // Initializers differ in every class; the entry is one that `WithoutHook` has inherited.
        let entries = base.indices.filter {
            plain[$0] == base[$0] && hooked[$0] != base[$0]
        }
        return entries.count == 1 ? entries[0] : nil
    }()

    /// Whether a class, or one between it and `NSManagedObject`, has an override.
    static func areOverridden(by type: NSManagedObject.Type) -> Bool {
        // Not to be told: then all count as overriding it, which costs time and is never wrong.
        guard let entry else { return true }
        return ClassMethodTable(type)[entry] != ClassMethodTable(NSManagedObject.self)[entry]
    }
}
