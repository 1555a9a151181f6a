/// A value of a type whose initializers are not known: that of zero bits.
///
/// Serves key paths that are followed on an object without values, see `KeyPathProbe`; nobody looks
/// at the value. Assumes that enumerations without associated values count their cases from zero
/// bits on; tried on one at first use. Where it is otherwise there is no value.
enum ZeroValue {
    /// nil for types that hold references, whose zero bits are no value.
    static func of<Value>(_: Value.Type) -> Value? {
        guard _isPOD(Value.self), isAsExpected else { return nil }
        return unchecked(Value.self)
    }

    private static func unchecked<Value>(_: Value.Type) -> Value {
        withUnsafeTemporaryAllocation(of: Value.self, capacity: 1) { memory in
            let bytes = UnsafeMutableRawBufferPointer(memory)
            bytes.initializeMemory(as: UInt8.self, repeating: 0)
            return memory[0]
        }
    }

    private enum Sample {
        case first, second
    }

    private static let isAsExpected = unchecked(Sample.self) == .first
}
