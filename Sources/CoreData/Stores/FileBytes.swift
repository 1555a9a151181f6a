import Foundation

/// Reads and writes whole files by their descriptors; what a signal interrupts goes on.
///
/// > Threading: Any thread.
enum FileBytes {
    /// What went wrong, as `errno` has it.
    struct Failure: Error {
        let code: Int32
    }

    /// Reads until the buffer is full or the file ends: somebody may have shortened it since it was
    /// measured.
    ///
    /// - Returns: How many bytes were read.
    static func read(
        _ descriptor: Int32,
        into buffer: UnsafeMutableRawBufferPointer
    ) -> Result<Int, Failure> {
        var count = 0
        while count < buffer.count {
            let start = buffer.baseAddress?.advanced(by: count)
            let step = Foundation.read(descriptor, start, buffer.count - count)
            if step < 0, errno == EINTR { continue }
            guard step >= 0 else { return .failure(Failure(code: errno)) }
            if step == 0 { break }
            count += step
        }
        return .success(count)
    }

    /// Writes all bytes, down to the disk.
    static func write(
        _ bytes: UnsafeRawBufferPointer,
        to descriptor: Int32
    ) -> Result<Void, Failure> {
        var count = 0
        while count < bytes.count {
            let start = bytes.baseAddress?.advanced(by: count)
            let step = Foundation.write(descriptor, start, bytes.count - count)
            if step < 0, errno == EINTR { continue }
            // A write of nothing that reports no error would be tried for ever.
            guard step > 0 else { return .failure(Failure(code: step < 0 ? errno : EIO)) }
            count += step
        }
        return fsync(descriptor) == 0 ? .success(()) : .failure(Failure(code: errno))
    }
}
