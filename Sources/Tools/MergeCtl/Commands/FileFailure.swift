import Foundation

/// Errors of Foundation's that name neither the file nor what to do.
enum FileFailure {
    /// What to say of an error: its own words, or for such an error a sentence with both.
    static func sentence(_ error: any Error) -> String {
        let own = error.localizedDescription
        guard let error = error as? CocoaError, error.userInfo[NSLocalizedDescriptionKey] == nil,
            let path = error.filePath ?? error.url?.path
        else { return own }
        switch error.code {
        case .fileReadNoPermission:
            return "\(path) can't be read: you may not. Change its permissions."
        case .fileWriteNoPermission:
            return
                "\(path) can't be written: you may not. Change the permissions of it and of its folder."
        default:
            return "\(path): \(own) See to that, and try again."
        }
    }
}
