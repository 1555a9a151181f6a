import Foundation

/// The names that classes of managed objects have in Objective-C, by `@objc(Name)`, as the build
/// plugin lists them.
///
/// > Threading: Any thread.
enum ObjectiveCNames {
    /// The class's name; nil if it says none, or the plugin has not built it.
    static func name(of type: NSManagedObject.Type) -> String? {
        KeyedPropertyTable.classNames().first { $0.type == type }?.name
    }

    /// The class that alone has a name; nil if none has, or several modules have one.
    static func type(named name: String) -> NSManagedObject.Type? {
        let found = KeyedPropertyTable.classNames().filter { $0.name == name }
        return found.count == 1 ? found[0].type : nil
    }
}

extension _KeyedPropertyList {
    /// Adds the name that a class has in Objective-C.
    public mutating func addName(_ name: String, of type: NSManagedObject.Type) {
        classNames.append((name, type))
    }
}

/// The name of a class of managed objects, as a model may say it: Objective-C's if the class says
/// `@objc(Name)` and the plugin `ManagedAccessors` builds it, else the name with its module and the
/// types around it.
///
/// Foundation's function of the same name stops the program for classes in other types and for
/// private ones.
public func NSStringFromClass(_ aClass: NSManagedObject.Type) -> String {
    ObjectiveCNames.name(of: aClass) ?? String(reflecting: aClass)
}

/// The class of managed objects that says `@objc(Name)`, or the class that Foundation finds by the
/// name.
///
/// Behind the `NSClassFromString` that the plugin `ManagedAccessors` generates.
public func _managedClassFromString(_ name: String) -> AnyClass? {
    ObjectiveCNames.type(named: name) ?? NSClassFromString(name)
}
