import Foundation

extension PropertySlot {
    /// Whether large values of the attribute may stand in files of their own.
    var isExternal: Bool {
        kind == .binary
            && (property as? NSAttributeDescription)?.allowsExternalBinaryDataStorage == true
    }
}

extension SQLBinding {
    /// A value in storage form; null for what only objects know.
    init(_ value: SlotValue, _ slot: PropertySlot) {
        switch value {
        case .null, .box: self = .null
        case .integer(let integer): self = .integer(integer)
        case .real(let real): self = .real(real)
        case .text(let text): self = .text(text)
        case .bytes(let data):
            self = .blob(slot.isExternal ? data.withUnsafeBytes { ExternalValue.encode($0) } : data)
        case .reference(let reference): self = .integer(reference.primaryKey)
        }
    }
}
