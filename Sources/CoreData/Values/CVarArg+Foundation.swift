import Foundation

// `NSPredicate(format: "date > %@", date as CVarArg)` is what client code says on Apple platforms,
// where the bridge to Objective-C makes such types arguments. Kinds of attributes do it for their
// types. Format initializers of ours look at the values themselves; the encoding is for others,
// such as `String(format:)`.

extension CVarArg {
    /// A pointer to the value's description. It is never freed: nobody says when it was used.
    func encodedDescription() -> [Int] {
        let text = String(describing: self) as NSString
        return [Int(bitPattern: Unmanaged.passRetained(text).toOpaque())]
    }
}

extension Array: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encodedDescription() }
}
extension Set: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encodedDescription() }
}
extension NSObject: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encodedDescription() }
}
