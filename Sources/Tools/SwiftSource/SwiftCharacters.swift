// Plain comparisons: build tools are compiled without optimization, in which patterns are slow.
extension UInt8 {
    var isDigit: Bool { self >= 0x30 && self <= 0x39 }

    /// A letter, `_`, `$`, or a byte of a character beyond ASCII, which are names nearly always.
    var isNamePart: Bool {
        // The operators beyond ASCII (`×`, `∘`) are rare; to tell them apart would take decoding.
        if self >= 0x80 { return true }
        let lowercase = self | 0x20
        return lowercase >= 0x61 && lowercase <= 0x7a || self == 0x5f || self == 0x24
    }

    /// Whether a byte of Swift source belongs to a word: a name, a keyword or a plain number.
    package var isWordPart: Bool { isNamePart || isDigit }

    var isOperator: Bool {
        switch self {
        // ! % & * + - . /
        case 0x21, 0x25, 0x26, 0x2a, 0x2b, 0x2d, 0x2e, 0x2f: true
        // < = > ? ^ | ~
        case 0x3c, 0x3d, 0x3e, 0x3f, 0x5e, 0x7c, 0x7e: true
        default: false
        }
    }
}
