import Foundation

/// Points in time: seconds since 2001-01-01 00:00:00 UTC.
enum DateKind: AttributeKind {
    static var type: NSAttributeType { .dateAttributeType }
    static var sourceName: String { "Date" }
    static var valueClass: AnyClass? { NSDate.self }
    static var storage: StorageKind { .date }
    static var column: AttributeColumn { AttributeColumn(declaredType: "TIMESTAMP", group: 1) }
    static var markupName: String? { "date" }
    static var comparison: ComparisonForm { .reals }
    static var bounds: BoundsForm { .dates }
    static var placeholder: Any? { Date(timeIntervalSinceReferenceDate: 0) }

    static func slotValue(_ value: Any) -> SlotValue? {
        (value as? Date).map { .real($0.timeIntervalSinceReferenceDate) }
    }

    static func anyValue(_ value: SlotValue) -> Any? {
        guard case .real(let seconds) = value else { return plainValue(value) }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    static func queryValue(_ value: SlotValue) -> QueryValue {
        guard case .real(let seconds) = value else { return .null }
        return .date(seconds)
    }

    static func result(_ value: QueryValue) -> Any? {
        guard case .real(let seconds) = value else { return value.anyValue }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }

    static func isReadable(_ value: SlotValue) -> Bool {
        guard case .real(let seconds) = value else { return true }
        return !seconds.isNaN
    }

    static var defaultValueName: String { "defaultDateTimeInterval" }
    static func value(_ text: String) -> Any? {
        guard let seconds = Double(text), seconds.isFinite else { return nil }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}

extension NSAttributeType.Name {
    /// A date.
    public static let date = Self(rawValue: .dateAttributeType)
}

extension Date: @retroactive CVarArg {
    public var _cVarArgEncoding: [Int] { encodedDescription() }
}
