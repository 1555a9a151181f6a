import Foundation

/// Says why a file can't be written, before there is something to write, and afterwards.
enum TargetPlace {
    /// Throws if a file can't be written.
    ///
    /// - Parameters:
    ///   - elsewhere: How to choose another place, as the end of a sentence.
    ///   - makesFolder: Whether the folder is made if it is not there.
    ///   - replacesFolder: Whether a folder of this name is replaced.
    static func check(
        _ path: String,
        elsewhere: String = "name another file",
        makesFolder: Bool = false,
        replacesFolder: Bool = false
    ) throws {
        func fail(_ why: String, _ remedy: String) -> CommandError {
            CommandError("The file \(path) can't be written: \(why). \(remedy), or \(elsewhere).")
        }
        if !replacesFolder, isFolder(path) == true {
            throw fail("a folder has this name", "Move it away")
        }
        var folder = UserPath.folder(of: path)
        while makesFolder, isFolder(folder) == nil, folder != UserPath.folder(of: folder) {
            folder = UserPath.folder(of: folder)
        }
        guard let isFolder = isFolder(folder) else {
            throw fail("there is no folder \(folder)", "Make it")
        }
        guard isFolder else { throw fail("\(folder) is a file, not a folder", "Move it away") }
        guard access(folder, W_OK | X_OK) != 0 else { return }
        throw errno == EROFS
            ? fail("the folder \(folder) is on a volume that is read-only", "Mount it for writing")
            : fail("you may not write into the folder \(folder)", "Change its permissions")
    }

    /// An error of writing a file, with the file and a remedy; other errors as they are.
    static func failure(
        _ error: any Error,
        _ path: String,
        elsewhere: String = "name another file"
    ) -> any Error {
        if error.isFullDisk {
            return CommandError(
                "The disk of \(path) is full, and the file is as it was. Free some space, or "
                    + "\(elsewhere)."
            )
        }
        let error = error as NSError
        let isOfWriting =
            error.domain == NSPOSIXErrorDomain
            || error.domain == NSCocoaErrorDomain && (512..<1_024).contains(error.code)
        guard isOfWriting else { return error }
        return CommandError(
            "The file \(path) can't be written: \(error.localizedDescription) See to that, or "
                + "\(elsewhere)."
        )
    }

    /// Nil if there is nothing.
    private static func isFolder(_ path: String) -> Bool? {
        var info = stat()
        guard stat(path, &info) == 0 else { return nil }
        return info.st_mode & S_IFMT == S_IFDIR
    }
}
