import Foundation

/// The name of a method, as `NSSortDescriptor` takes it; stands in for the Objective-C runtime's.
///
/// Without that runtime no method is found by its name. A selector that observers of notifications,
/// timers and `perform` are to call is made of the method too, as `mergectl port` writes it:
///
///     #if canImport(ObjectiveC)
///     let didSave = #selector(Stack.contextDidSave(_:))
///     #else
///     let didSave = Selector("contextDidSave:", Stack.contextDidSave(_:))
///     #endif
///
/// Module `LegacyFoundation` has the methods that take such a selector. Selectors are equal if their
/// names are.
///
/// > Threading: Immutable; the method is called by whoever is passed the selector.
public struct Selector: Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// Calls the method of a target with an argument.
    package typealias Action = @Sendable (_ target: AnyObject, _ argument: Any?) -> Any?

    /// The name, such as `localizedStandardCompare:`.
    public let description: String
    /// nil for a mere name.
    package let action: Action?

    /// Makes a selector of its name.
    public init(_ name: String) {
        description = name
        action = nil
    }

    /// Makes a selector of its name.
    public init(stringLiteral value: String) { self.init(value) }

    /// Makes a selector of a method that takes nothing. An error that it throws is dropped, as there
    /// is nobody to take it.
    public init<Target, Result>(
        _ name: String,
        _ method: @escaping (Target) -> () throws -> Result
    ) {
        nonisolated(unsafe) let method = method
        description = name
        action = { target, _ in try? method(Self.target(target, name))() }
    }

    /// Makes a selector of a method that takes one argument. An error that it throws is dropped, as
    /// there is nobody to take it.
    public init<Target, Argument, Result>(
        _ name: String,
        _ method: @escaping (Target) -> (Argument) throws -> Result
    ) {
        nonisolated(unsafe) let method = method
        description = name
        action = { target, argument in
            try? method(Self.target(target, name))(Self.argument(argument, name))
        }
    }

    private static func target<Target>(_ target: AnyObject, _ name: String) -> Target {
        guard let typed = target as? Target else {
            fatalError(
                "\(name) is a method of \(Target.self), and was to be called on a "
                    + "\(type(of: target))."
            )
        }
        return typed
    }

    private static func argument<Argument>(_ value: Any?, _ name: String) -> Argument {
        if let typed = value as? Argument { return typed }
        // For methods that take an NSNotification: without the bridge to Objective-C the value is
        // not cast to it.
        if let notification = value as? Notification,
            let bridged = notification as NSNotification as? Argument
        {
            return bridged
        }
        fatalError(
            "\(name) takes a \(Argument.self), and was to be called with \(value ?? "nil")."
        )
    }
}

extension Selector: Hashable {
    public static func == (left: Selector, right: Selector) -> Bool {
        left.description == right.description
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// The name of a selector.
public func NSStringFromSelector(_ aSelector: Selector) -> String { aSelector.description }

/// The selector of a name.
public func NSSelectorFromString(_ aSelectorName: String) -> Selector { Selector(aSelectorName) }
