import Foundation

/// What keeps a porter from its work.
package enum PortingError: LocalizedError, Equatable {
    /// There is neither a directory nor a file at the path.
    case missing(path: String)
    /// A directory may not be looked into.
    case notReadable(path: String)

    /// A sentence for the user.
    package var errorDescription: String? {
        switch self {
        case .missing(let path): "There is no directory or file \(path). Check the path."
        case .notReadable(let path):
            "The directory \(path) can't be read: you may not. Change its permissions."
        }
    }
}
