import Foundation

extension CocoaError {
    /// What to do about a file that can't be the store that was meant.
    static let otherFile = "check the path, or restore the store from a backup"

    /// 259: a file that is no store, or a damaged one.
    static func corruptFile(
        _ url: URL?,
        _ what: String,
        underlying: (any Error)? = nil
    ) -> CocoaError {
        make(
            CocoaError.fileReadCorruptFile.rawValue,
            "The file \(display(url)) is damaged or not of the expected format: \(what).",
            url: url,
            underlying: underlying
        )
    }

    /// 259: a database without tables where a store is asked for.
    static func emptyDatabase(_ url: URL?) -> CocoaError {
        corruptFile(url, "it is an empty database; \(otherFile)")
    }

    /// 260: a file that is not there.
    static func noSuchFile(_ url: URL, _ remedy: String) -> CocoaError {
        make(
            CocoaError.fileReadNoSuchFile.rawValue,
            "The file \(display(url)) does not exist: \(remedy).",
            url: url
        )
    }

    /// 257: a file that may not be read.
    static func fileNotReadable(_ url: URL, underlying: (any Error)? = nil) -> CocoaError {
        make(
            CocoaError.fileReadNoPermission.rawValue,
            "The file \(display(url)) cannot be read: check its permissions.",
            url: url,
            underlying: underlying
        )
    }

    /// 256: a file that may be read, and can't be, as where the process has too many files open.
    static func fileNotReadableNow(_ url: URL, underlying: any Error) -> CocoaError {
        make(
            CocoaError.fileReadUnknown.rawValue,
            "The file \(display(url)) cannot be read now: see to the cause and try again. "
                + underlying.localizedDescription,
            url: url,
            underlying: underlying
        )
    }

    /// 256, or 257 for want of permission: a value in a file of its own that can't be read now.
    static func externalValueNotReadable(_ url: URL, code: Int32) -> CocoaError {
        let isRefused = code == EACCES || code == EPERM
        return make(
            (isRefused ? CocoaError.fileReadNoPermission : CocoaError.fileReadUnknown).rawValue,
            "The value in the file \(display(url)) of a store's external data can't be read "
                + "(\(String(cString: strerror(code)))): see to that, and read the object again.",
            url: url,
            underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(code))
        )
    }

    /// 513: a file that may not be written.
    static func fileNotWritable(_ url: URL?, underlying: (any Error)? = nil) -> CocoaError {
        make(
            CocoaError.fileWriteNoPermission.rawValue,
            "The file \(display(url)) cannot be written: check the permissions of the file and its "
                + "folder, or open the store read-only.",
            url: url,
            underlying: underlying
        )
    }

    /// 640: the disk is full.
    static func diskFull(_ url: URL?, underlying: (any Error)? = nil) -> CocoaError {
        make(
            CocoaError.fileWriteOutOfSpace.rawValue,
            "The disk of \(display(url)) is full, and nothing was written: free some space and save "
                + "again.",
            url: url,
            underlying: underlying
        )
    }

    /// 640: a file that has grown as large as the process may make one.
    static func fileSizeLimit(_ url: URL?, underlying: (any Error)? = nil) -> CocoaError {
        make(
            CocoaError.fileWriteOutOfSpace.rawValue,
            "The files of \(display(url)) may not grow any more, and nothing was written: raise the "
                + "limit for the size of files (ulimit -f) and save again.",
            url: url,
            underlying: underlying
        )
    }

    /// 642: a volume that is mounted read-only.
    static func volumeReadOnly(_ url: URL?, underlying: (any Error)? = nil) -> CocoaError {
        make(
            CocoaError.fileWriteVolumeReadOnly.rawValue,
            "The volume of \(display(url)) is read-only: open the store with "
                + "NSReadOnlyPersistentStoreOption, or move it.",
            url: url,
            underlying: underlying
        )
    }

    /// 513 with another remedy: a save to a store that was added read-only.
    static func storeIsReadOnly(_ url: URL?, store: AnyObject? = nil) -> CocoaError {
        make(
            CocoaError.fileWriteNoPermission.rawValue,
            "The store \(display(url)) was added read-only: add it without "
                + "NSReadOnlyPersistentStoreOption to save to it.",
            url: url,
            info: store.map { [NSAffectedStoresErrorKey: [$0]] } ?? [:]
        )
    }
}

extension CocoaError {
    /// 259: a model file that cannot be read; `what` names line or entity, without a full stop.
    static func modelFile(
        _ url: URL,
        _ what: String,
        underlying: (any Error)? = nil
    ) -> CocoaError {
        make(
            CocoaError.fileReadCorruptFile.rawValue,
            "The model file \(display(url)) cannot be read: \(what).",
            url: url,
            underlying: underlying
        )
    }

    /// 3328: a compiled model that is to have another name than compiled models have.
    static func compiledModelName(_ url: URL) -> CocoaError {
        make(
            CocoaError.featureUnsupported.rawValue,
            "A model cannot be compiled to \(display(url)): give a name that ends in .momd or .mom.",
            url: url
        )
    }

    /// 3328: a compiled mapping model is asked for under a name that says something else.
    static func compiledMappingModelName(_ url: URL) -> CocoaError {
        make(
            CocoaError.featureUnsupported.rawValue,
            "A mapping model cannot be compiled to \(display(url)): give a name that ends in .cdm.",
            url: url
        )
    }
}
