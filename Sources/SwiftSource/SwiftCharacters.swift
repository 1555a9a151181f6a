extension UInt8 {
    var isDigit: Bool { self >= UInt8(ascii: "0") && self <= UInt8(ascii: "9") }

    /// A letter, `_`, `$`, or a byte of a character beyond ASCII, which are names nearly always.
    var isNamePart: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    var isOperator: Bool { Self.operators.contains(self) }

    private static let operators = Set("/=-+!*%<>&|^~?.".utf8)
}
