import Foundation

extension URL {
    /// Where stores are that go with their last user, as tests have them; a URL that clients use in
    /// all places that take a store's.
    static let nullDevice = URL(fileURLWithPath: "/dev/null")

    /// Whether a store there is a throwaway, and no file is to be touched.
    var isNullDevice: Bool { isFileURL && standardizedFileURL.path == "/dev/null" }
}
