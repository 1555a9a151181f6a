import Foundation

/// Makes `FileProtectionType.complete as NSObject` a string, as an option of a store is given.
extension FileProtectionType: @retroactive _ObjectiveCBridgeable {
    public func _bridgeToObjectiveC() -> NSString { NSString(string: rawValue) }

    public static func _forceBridgeFromObjectiveC(
        _ source: NSString,
        result: inout FileProtectionType?
    ) {
        result = FileProtectionType(rawValue: String(describing: source))
    }

    @discardableResult
    public static func _conditionallyBridgeFromObjectiveC(
        _ source: NSString,
        result: inout FileProtectionType?
    ) -> Bool {
        _forceBridgeFromObjectiveC(source, result: &result)
        return true
    }

    public static func _unconditionallyBridgeFromObjectiveC(
        _ source: NSString?
    ) -> FileProtectionType {
        FileProtectionType(rawValue: source.map { String(describing: $0) } ?? "")
    }
}
