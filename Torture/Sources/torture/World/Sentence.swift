import Foundation

/// Errors in reports: domain and code, without values.
enum Sentence {
    static func of(_ error: any Error) -> String {
        let error = error as NSError
        let inner = error.userInfo[NSUnderlyingErrorKey] as? NSError
        return "\(error.domain) \(error.code)" + (inner.map { " (\($0.domain) \($0.code))" } ?? "")
    }
}
