import Foundation

extension FileManager {
    /// The folder that the programs of an app group share: none, for there are no app groups.
    ///
    /// - Returns: nil, as on Apple's platforms for a group that the program does not belong to.
    public func containerURL(
        forSecurityApplicationGroupIdentifier groupIdentifier: String
    ) -> URL? {
        nil
    }
}
