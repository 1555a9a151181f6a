#if PostgreSQL
import CPostgreSQL
import Foundation

/// Where the server of a store is, and how long to wait for it.
struct ServerAddress: Sendable {
    /// As the client named it; errors show it.
    let url: URL
    /// How long to wait for the server to go on, in milliseconds.
    let patience: Int32
    /// Whether the URI says itself how long to wait for a connection.
    private let hasConnectTimeout: Bool

    private static let defaultPatience = 10.0

    /// - Throws: 134080 for what is no URI of libpq, and for one with a password.
    init(_ url: URL?, options: [AnyHashable: Any]?) throws {
        guard let url else {
            throw CocoaError.storeOpen(nil, "a store in PostgreSQL needs a URL; give one")
        }
        let parameters = try Self.parameters(of: url)
        // URLs are in logs, in notifications and in the text of errors.
        guard parameters["password"] == nil else {
            throw CocoaError.storeOpen(
                Self.withoutPassword(url),
                "its URL has a password, which logs would show; put it into ~/.pgpass, or into a "
                    + "service file"
            )
        }
        self.url = url
        hasConnectTimeout = parameters["connect_timeout"] != nil
        let seconds = (options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue
        // A day at the most: `poll` takes 32 bits of milliseconds.
        patience = Int32(max(0.1, min(seconds ?? Self.defaultPatience, 86_400)) * 1_000)
    }

    /// The parameters for `PQconnectdbParams`.
    var connectionParameters: [(name: String, value: String)] {
        var parameters = [
            // Taken apart by libpq, since it begins as a URI does.
            ("dbname", url.absoluteString), ("fallback_application_name", "MergeStack"),
            ("client_encoding", "UTF8"),
        ]
        if !hasConnectTimeout {
            // Whole seconds; libpq takes 1 for 2.
            parameters.append(("connect_timeout", String(max(1, (patience + 999) / 1_000))))
        }
        return parameters
    }

    private static func parameters(of url: URL) throws -> [String: String] {
        guard ["postgresql", "postgres"].contains(url.scheme?.lowercased()) else {
            throw CocoaError.storeOpen(
                url,
                "a store in PostgreSQL needs a URL as postgresql://host/database"
            )
        }
        var message: UnsafeMutablePointer<CChar>?
        guard let list = PQconninfoParse(url.absoluteString, &message) else {
            defer { PQfreemem(message) }
            let words = message.map { String(cString: $0) } ?? "memory is short"
            throw CocoaError.storeOpen(
                withoutPassword(url),
                "its URL is none of a server "
                    + "(\(words.trimmingCharacters(in: .whitespacesAndNewlines)))"
            )
        }
        defer { PQconninfoFree(list) }
        var parameters: [String: String] = [:]
        var next = list
        // The list ends with an entry that has no keyword.
        while let keyword = next.pointee.keyword {
            if let value = next.pointee.val {
                parameters[String(cString: keyword)] = String(cString: value)
            }
            next += 1
        }
        return parameters
    }

    private static func withoutPassword(_ url: URL) -> URL? {
        var components = URLComponents(url: url, resolvingAgainstBaseURL: false)
        components?.password = nil
        components?.queryItems?.removeAll { $0.name == "password" }
        return components?.url
    }
}
#endif
