import Foundation

extension SQLBinding {
    /// A value in storage form; null for what only objects know.
    init(_ value: SlotValue, _ slot: PropertySlot) {
        switch value {
        case .null, .box: self = .null
        case .integer(let integer): self = .integer(integer)
        case .real(let real): self = .real(real)
        case .text(let text): self = .text(text)
        case .bytes(let data):
            // Kept inside, whatever its size: rows can't share a file.
            self = .blob(
                slot.allowsExternalStorage
                    ? data.withUnsafeBytes { ExternalValue.encode($0) } : data
            )
        case .reference(let reference): self = .integer(reference.primaryKey)
        }
    }
}
