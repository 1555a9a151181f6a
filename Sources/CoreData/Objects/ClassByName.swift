import Foundation

/// Finds classes by the names that models give.
enum ClassByName {
    /// The classes of a kind that a name may mean.
    ///
    /// A name with a module finds a class of that module. A name without one, or one with a
    /// leading dot, is looked for in the module of the program, and then in all others.
    ///
    /// - Parameter kind: The metatype that the classes are of.
    static func candidates<Kind>(_ name: String, as kind: Kind.Type) -> [Kind] {
        let plain = name.hasPrefix(".") ? String(name.dropFirst()) : name
        // Foundation finds classes that are in no other type, and complains about other names. Swift
        // 6.3 miscompiles a cast of an optional class to a generic type under `-O`: with nil the
        // program ends. So the class is unwrapped first.
        if plain.split(separator: ".").count == 2, !plain.contains("("),
            let named = NSClassFromString(plain), let found = named as? Kind
        {
            return [found]
        }
        var found = ClassCatalog.classes(named: plain)
        // `@objc(Book)` names one of several classes `Book` no more than the others: which of them a
        // model means is for its other classes to say.
        if let named = ObjectiveCNames.type(named: plain), !found.contains(where: { $0 == named }) {
            found.append(named)
        }
        let program = ProcessInfo.processInfo.processName.replacingOccurrences(of: "-", with: "_")
        let own = found.filter { ClassCatalog.module(of: $0) == program }
        return (own.isEmpty ? found : own).compactMap { $0 as? Kind }
    }
}
