/// The numbers that attributes hold.
extension StorageKind {
    /// The integers of an integer kind; nil for other kinds.
    var integerRange: ClosedRange<Int64>? {
        guard form == .integer else { return nil }
        return AttributeKinds.kind(of: self)?.integerRange
    }

    /// What is wrong with a number that an attribute of the kind can't hold; nil for other values.
    func rangeFailure(of value: SlotValue) -> ValidationFailure? {
        guard let range = integerRange else { return failureOfNoNumber(value) }
        switch value {
        case .integer(let integer):
            if integer < range.lowerBound { return .numberTooSmall }
            return integer > range.upperBound ? .numberTooLarge : nil
        // No 64-bit integer, see `slotValue(_:)`; it may be no number at all.
        case .real(let real): return real < 0 ? .numberTooSmall : .numberTooLarge
        default: return nil
        }
    }

    /// What is not a number: SQLite has NULL for it, so that it would be another value after the
    /// save (https://www.sqlite.org/floatingpoint.html).
    private func failureOfNoNumber(_ value: SlotValue) -> ValidationFailure? {
        guard form == .real, case .real(let real) = value, real.isNaN else { return nil }
        return self == .date ? .invalidDate : .notANumber
    }

    /// The value in the form that a row has it in: what no integer holds, as the nearest one.
    func storable(_ value: SlotValue) -> SlotValue {
        guard case .real(let real) = value else { return value }
        if real.isNaN { return .null }
        return integerRange == nil ? value : .integer(real < 0 ? .min : .max)
    }
}
