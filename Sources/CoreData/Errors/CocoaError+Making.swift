import Foundation

// The factories of this folder make each Cocoa error in one place, by name. All errors carry a
// sentence that names the thing and the remedy; none carries an attribute's value in its text.
extension CocoaError {
    /// The one way in which all factories make their errors.
    ///
    /// `sentence` says what went wrong and what to do about it; `info` is what else the error
    /// carries.
    static func make(
        _ code: Int,
        _ sentence: String,
        url: URL? = nil,
        underlying: (any Error)? = nil,
        info: [String: Any] = [:]
    ) -> CocoaError {
        var userInfo = info
        userInfo[NSLocalizedDescriptionKey] = sentence
        if let url {
            userInfo[NSURLErrorKey] = url
            if url.isFileURL { userInfo[NSFilePathErrorKey] = url.path }
        }
        if let underlying { userInfo[NSUnderlyingErrorKey] = underlying as NSError }
        return CocoaError(CocoaError.Code(rawValue: code), userInfo: userInfo)
    }

    /// What an error about a file calls it: the path, or the whole URL of something else.
    static func display(_ url: URL?) -> String {
        guard let url else { return "in memory" }
        return "\"\(url.isFileURL ? url.path : url.absoluteString)\""
    }
}
