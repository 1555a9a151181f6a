import Foundation

/// A method that is called by its name in Objective-C, with arguments of types that are known when it
/// is called only.
struct NamedMethod: @unchecked Sendable {
    // @unchecked: the closures hold types only.

    /// `initialOf:`.
    let selector: String
    /// Whether an object has the method.
    let isMethod: (AnyObject) -> Bool
    /// - Throws: ``ArgumentProblem``, and what the method throws.
    let call: (AnyObject, [Any?]) throws -> Any?

    /// Why a method can't be called.
    struct ArgumentProblem: Error {
        /// What follows the method's name.
        let reason: String
    }
}

/// The arguments of a method that is called by its name: for generated code only.
public struct _NamedArguments {
    let values: [Any?]

    /// One of them, as the type of the parameter.
    ///
    /// - Throws: An error that says what another type was given.
    public func value<Value>(_ index: Int) throws -> Value {
        guard values.indices.contains(index) else {
            throw NamedMethod.ArgumentProblem(
                reason: "with \(values.count) arguments, which has more parameters"
            )
        }
        if let value = KeyedValue.cast(values[index], Value.self) { return value }
        throw NamedMethod.ArgumentProblem(
            reason: "with \(values[index].map { "\(type(of: $0))" } ?? "nil") as argument "
                + "\(index + 1), which has to be \(Value.self)"
        )
    }
}

@available(*, unavailable, message: "They are used where they are made.")
extension _NamedArguments: @unchecked Sendable {}

extension _KeyedPropertyList {
    /// Adds a method that is called by its name.
    ///
    /// - Parameters:
    ///   - selector: Its name in Objective-C.
    ///   - type: The class that declares it.
    ///   - call: What calls it.
    public mutating func addMethod<Owner: AnyObject, Result>(
        _ selector: String,
        of type: Owner.Type,
        _ call: @escaping (Owner, _NamedArguments) throws -> Result
    ) {
        let method = NamedMethod(selector: selector, isMethod: { $0 is Owner }) { object, values in
            guard let object = object as? Owner else { return nil }
            return KeyedValue.boxed(try call(object, _NamedArguments(values: values)))
        }
        methods.append(method)
    }
}
