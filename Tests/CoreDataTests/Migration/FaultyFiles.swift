import CSQLite
import Foundation

@testable import CoreData

/// Lets the file operations of SQLite fail: a layer (a VFS) over the system's own, through which
/// all connections of the process go once it is installed.
///
/// Only files below the armed folder are touched. See https://www.sqlite.org/vfs.html.
enum FaultyFiles {
    enum Fault: CaseIterable, Sendable {
        /// The operation fails, the ones after it work: a full disk, a bad block.
        case once
        /// The operation stops half-way, and none works after it: the process was killed.
        case fromThenOn
    }

    /// What fails.
    enum Operations: Sendable {
        /// What changes a file: writing, truncating, synchronizing, making, removing.
        case changes
        case reads
    }

    private struct State {
        var folder: String?
        var operations = Operations.changes
        var fault = Fault.once
        /// The number of the operation to fail, from 1.
        var target = 0
        var count = 0
    }
    private static let state = Locked(State())
    /// Suites run beside each other, and faults are for one of them at a time.
    private static let turn = NSLock()
    fileprivate static let innerOffset = 16
    nonisolated(unsafe) fileprivate static let system: UnsafeMutablePointer<sqlite3_vfs> = {
        guard let system = sqlite3_vfs_find(nil) else {
            preconditionFailure("SQLite has no file operations.")
        }
        return system
    }()

    /// Makes the layer the default; for good, since connections may be open on it.
    static let install: Void = {
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: system.pointee)
        layer.pointee.zName = UnsafePointer(strdup("faulty"))
        layer.pointee.szOsFile = system.pointee.szOsFile + Int32(innerOffset)
        layer.pointee.pNext = nil
        layer.pointee.xOpen = { _, name, file, flags, outFlags in
            FaultyFiles.open(name, file, flags, outFlags)
        }
        layer.pointee.xDelete = { _, name, syncs in
            let path = name.map { String(cString: $0) } ?? ""
            guard FaultyFiles.mayRun(isWatched: FaultyFiles.watches(path)) == .runs else {
                return SQLITE_IOERR
            }
            return system.pointee.xDelete(system, name, syncs)
        }
        sqlite3_vfs_register(layer, 1)
    }()

    /// Runs a body while operations on files in a folder fail.
    ///
    /// - Returns: How many operations there were that could have failed.
    static func whileFailing(
        _ fault: Fault,
        at target: Int,
        of operations: Operations = .changes,
        in folder: URL,
        _ body: () -> Void
    ) -> Int {
        install
        turn.lock()
        defer { turn.unlock() }
        state.withLock {
            $0 = State(
                folder: folder.path,
                operations: operations,
                fault: fault,
                target: target
            )
        }
        body()
        return state.withLock { state in
            defer { state = State() }
            return state.count
        }
    }

    fileprivate enum Verdict { case runs, fails, tears }

    fileprivate static func watches(_ path: String) -> Bool {
        state.withLock { state in state.folder.map { path.hasPrefix($0) } ?? false }
    }

    /// What files of the armed folder are marked with, so that those of an earlier one are let
    /// alone; 0 if there is none.
    private static var mark: Int {
        state.withLock { state in state.folder.map { $0.hashValue | 1 } ?? 0 }
    }

    /// Counts an operation.
    fileprivate static func mayRun(
        isWatched: Bool,
        _ operation: Operations = .changes
    ) -> Verdict {
        guard isWatched else { return .runs }
        return state.withLock { state in
            guard state.folder != nil, state.operations == operation else { return .runs }
            state.count += 1
            if state.count == state.target { return state.fault == .once ? .fails : .tears }
            return state.fault == .fromThenOn && state.target > 0 && state.count > state.target
                ? .fails : .runs
        }
    }

    private static func open(
        _ name: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?,
        _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let file else { return SQLITE_CANTOPEN }
        let raw = UnsafeMutableRawPointer(file)
        file.pointee.pMethods = nil
        let path = name.map { String(cString: $0) } ?? ""
        let isWatched = watches(path)
        if isWatched, flags & SQLITE_OPEN_CREATE != 0, mayRun(isWatched: true) != .runs {
            return SQLITE_CANTOPEN
        }
        let inner = raw.advanced(by: innerOffset).assumingMemoryBound(to: sqlite3_file.self)
        let code = system.pointee.xOpen(system, name, inner, flags, outFlags)
        guard code == SQLITE_OK else { return code }
        raw.storeBytes(of: isWatched ? mark : 0, toByteOffset: 8, as: Int.self)
        file.pointee.pMethods = UnsafePointer(methods)
        return SQLITE_OK
    }

    nonisolated(unsafe) private static let methods: UnsafeMutablePointer<sqlite3_io_methods> = {
        let methods = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        methods.initialize(to: sqlite3_io_methods())
        // Version 2: with shared memory, without memory mapping.
        methods.pointee.iVersion = 2
        methods.pointee.xClose = { inner($0).methods.xClose(inner($0).file) }
        methods.pointee.xRead = { file, bytes, count, offset in
            guard FaultyFiles.mayRun(isWatched: isWatched(file), .reads) == .runs else {
                return SQLITE_IOERR | 1 << 8  // SQLITE_IOERR_READ, a macro.
            }
            return inner(file).methods.xRead(inner(file).file, bytes, count, offset)
        }
        methods.pointee.xWrite = { file, bytes, count, offset in
            let verdict = FaultyFiles.mayRun(isWatched: isWatched(file))
            if verdict == .tears {
                _ = inner(file).methods.xWrite(inner(file).file, bytes, count / 2, offset)
            }
            guard verdict == .runs else { return SQLITE_IOERR }
            return inner(file).methods.xWrite(inner(file).file, bytes, count, offset)
        }
        methods.pointee.xTruncate = { file, size in
            guard FaultyFiles.mayRun(isWatched: isWatched(file)) == .runs else {
                return SQLITE_IOERR
            }
            return inner(file).methods.xTruncate(inner(file).file, size)
        }
        methods.pointee.xSync = { file, flags in
            guard FaultyFiles.mayRun(isWatched: isWatched(file)) == .runs else {
                return SQLITE_IOERR
            }
            return inner(file).methods.xSync(inner(file).file, flags)
        }
        methods.pointee.xFileSize = { inner($0).methods.xFileSize(inner($0).file, $1) }
        methods.pointee.xLock = { inner($0).methods.xLock(inner($0).file, $1) }
        methods.pointee.xUnlock = { inner($0).methods.xUnlock(inner($0).file, $1) }
        methods.pointee.xCheckReservedLock = {
            inner($0).methods.xCheckReservedLock(inner($0).file, $1)
        }
        methods.pointee.xFileControl = { inner($0).methods.xFileControl(inner($0).file, $1, $2) }
        methods.pointee.xSectorSize = { inner($0).methods.xSectorSize(inner($0).file) }
        methods.pointee.xDeviceCharacteristics = {
            inner($0).methods.xDeviceCharacteristics(inner($0).file)
        }
        methods.pointee.xShmMap = { inner($0).methods.xShmMap(inner($0).file, $1, $2, $3, $4) }
        methods.pointee.xShmLock = { inner($0).methods.xShmLock(inner($0).file, $1, $2, $3) }
        methods.pointee.xShmBarrier = { inner($0).methods.xShmBarrier(inner($0).file) }
        methods.pointee.xShmUnmap = { inner($0).methods.xShmUnmap(inner($0).file, $1) }
        return methods
    }()

    private static func isWatched(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Bool {
        guard let file else { return false }
        let mark = UnsafeMutableRawPointer(file).load(fromByteOffset: 8, as: Int.self)
        return mark != 0 && mark == self.mark
    }

    /// The system's file behind one of the layer's.
    private static func inner(
        _ file: UnsafeMutablePointer<sqlite3_file>?
    ) -> (file: UnsafeMutablePointer<sqlite3_file>, methods: sqlite3_io_methods) {
        guard let file else { preconditionFailure("SQLite passes the file that it opened.") }
        let inner = UnsafeMutableRawPointer(file).advanced(by: innerOffset)
            .assumingMemoryBound(to: sqlite3_file.self)
        return (inner, inner.pointee.pMethods.pointee)
    }
}
