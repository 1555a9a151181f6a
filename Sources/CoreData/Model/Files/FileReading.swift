import Foundation

/// Reads the files that models are made of.
enum FileReading {
    /// The bytes of a regular file.
    ///
    /// - Throws: 260 for one that is not there, 257 for one that may not be read, 256 for one that
    ///   can't be read now, 259 for one that is too large or no regular file.
    static func bytes(
        of url: URL,
        maximumByteCount: Int = PropertyList.maximumByteCount
    ) throws -> Data {
        do {
            // Links are resolved first, since the attributes of a link are its own.
            let values = try FileManager.default.attributesOfItem(
                atPath: url.resolvingSymlinksInPath().path
            )
            // Reading a pipe or a device might never end.
            guard values[.type] as? FileAttributeType == .typeRegular else {
                throw CocoaError.modelFile(url, "it is not a regular file; give the model itself")
            }
            let byteCount = (values[.size] as? NSNumber)?.intValue ?? 0
            guard byteCount <= maximumByteCount else {
                throw CocoaError.modelFile(
                    url,
                    "it is larger than \(maximumByteCount >> 20) MiB; split the model"
                )
            }
            return try Data(contentsOf: url)
        } catch let error as CocoaError where error.code == .fileReadCorruptFile {
            throw error
        } catch {
            guard FileManager.default.fileExists(atPath: url.path) else {
                throw CocoaError.noSuchFile(url, Self.remedy)
            }
            throw faccessat(AT_FDCWD, url.path, R_OK, AT_EACCESS) == 0
                ? CocoaError.fileNotReadableNow(url, underlying: error)
                : CocoaError.fileNotReadable(url, underlying: error)
        }
    }

    static func checkDirectory(_ url: URL) throws {
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory) else {
            throw CocoaError.noSuchFile(url, remedy)
        }
        guard isDirectory.boolValue else {
            throw CocoaError.modelFile(url, "it is a file, and such models are directories")
        }
        // Or it would count as an empty one.
        guard faccessat(AT_FDCWD, url.path, R_OK | X_OK, AT_EACCESS) == 0 else {
            throw CocoaError.fileNotReadable(url)
        }
    }

    private static let remedy = "give the path of a .xcdatamodeld, .xcdatamodel, .momd or .mom"

    /// The names in a directory, sorted; none if it cannot be read.
    static func names(in directory: URL, endingIn extensions: [String]) -> [String] {
        let all: [String]
        do {
            all = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        } catch {
            // A bundle without resources has no such directory; a model that has none is told
            // from the empty list.
            return []
        }
        return all.filter { extensions.contains(($0 as NSString).pathExtension) }.sorted()
    }
}
