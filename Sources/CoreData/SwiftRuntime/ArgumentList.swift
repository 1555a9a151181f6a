/// Lists of arguments as C functions take them, which outlive the call that makes them: the standard
/// library has those of a block only.
///
/// Assumes the layout of `va_list` in System V ABI for AMD64, 3.5.7, and Procedure Call Standard for
/// Arm64, appendix B, and that `CVaListPointer` is one. Predicates don't read the list but know it by
/// its bytes; a C function that does is passed what the standard library passes. The sizes are
/// checked at first use, and the program stops where they differ.
enum ArgumentList {
    /// A list whose arguments all lie in memory, none in registers. It is never released.
    static func make(_ arguments: [any CVarArg]) -> CVaListPointer {
        checked
        let words = arguments.flatMap(\._cVarArgEncoding)
        let memory = UnsafeMutableBufferPointer<Int>.allocate(capacity: max(words.count, 1))
        _ = memory.initialize(from: words)
        let stack = UInt(bitPattern: memory.baseAddress)
        #if arch(x86_64)
        // gp_offset 48 and fp_offset 176: no registers are left.
        let header = UnsafeMutableBufferPointer<UInt>.allocate(capacity: 3)
        _ = header.initialize(from: [48 | 176 << 32, stack, 0])
        return unsafeBitCast(header.baseAddress, to: CVaListPointer.self)
        #else
        // Offsets of registers are negative while one is left: with 0 all arguments are on the
        // stack.
        return unsafeBitCast((stack, UInt(0), UInt(0), UInt(0)), to: CVaListPointer.self)
        #endif
    }

    private static let checked: Void = RuntimeAssumption.require(
        MemoryLayout<CVaListPointer>.size == expectedByteCount,
        "pass lists of arguments as C does"
    )

    #if arch(x86_64)
    private static let expectedByteCount = 8
    #else
    private static let expectedByteCount = 32
    #endif
}
