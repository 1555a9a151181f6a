#if PostgreSQL
import Foundation
import TestSupport
import Threads

/// Stands between stores and their server, and cuts a connection after so many bytes.
final class CuttingProxy: Sendable {
    enum Direction: CaseIterable { case toServer, toStore }
    private struct Cut {
        var direction: Direction
        var rest: Int
    }
    private struct State {
        var cut: Cut?
        var cutCount = 0
        /// How many bytes have gone to the server.
        var byteCount = 0
        /// Called before a connection that is cut ends, once.
        var onCut: (@Sendable () -> Void)?
        /// Whether connections are refused.
        var isAway = false
        var sockets: [Int32] = []
    }
    private static let socketName = ".s.PGSQL.5432"

    let folder: URL
    private let server: String
    private let listener: Int32
    private let state = Guarded(State())
    /// Held while a body runs that neither end is to notice.
    private let ends = NSLock()

    init(_ server: PostgreSQLServer? = nil) throws {
        // Short: a socket's path has 108 bytes at most.
        folder = URL(fileURLWithPath: "/tmp/mscut-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: self.folder, withIntermediateDirectories: true)
        let folder = try (server ?? PostgreSQLServer.shared()).folder
        self.server = folder.appendingPathComponent(Self.socketName).path
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let path = self.folder.appendingPathComponent(Self.socketName).path
        let outcome = Self.withAddress(path) { bind(listener, $0, $1) }
        guard outcome == 0, listen(listener, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
        Thread.detachNewThread { [self] in accept() }
    }

    /// The URL by which a store goes through the proxy.
    var url: URL {
        let path = folder.path.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        guard let url = URL(string: "postgresql:///postgres?host=\(path)&user=postgres") else {
            fatalError("\(path) can't be in a URL.")
        }
        return url
    }

    /// How many connections were cut.
    var cutCount: Int { state.withLock { $0.cutCount } }

    /// How many bytes have gone to the server.
    var byteCount: Int { state.withLock { $0.byteCount } }

    /// Cuts a connection as soon as so many bytes have gone a way, once.
    ///
    /// - Parameter body: Called before the two ends can notice.
    func cut(
        after byteCount: Int,
        _ direction: Direction,
        _ body: (@Sendable () -> Void)? = nil
    ) {
        state.withLock { state in
            state.cut = Cut(direction: direction, rest: byteCount)
            state.onCut = body
        }
    }

    /// Has connections pass, whatever was asked for.
    func pass() {
        state.withLock { state in
            state.cut = nil
            state.isAway = false
        }
    }

    /// Cuts as `cut(after:_:)`, and refuses connections from then on.
    func cutForGood(after byteCount: Int, _ direction: Direction) {
        state.withLock { state in
            state.cut = Cut(direction: direction, rest: byteCount)
            state.isAway = true
        }
    }

    func stop() throws {
        state.withLock { $0.isAway = true }
        shutdown(listener, Int32(SHUT_RDWR))
        for socket in state.withLock({ $0.sockets }) { shutdown(socket, Int32(SHUT_RDWR)) }
        try FileManager.default.removeItem(at: folder)
    }

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else { break }
            let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let isRefused = state.withLock { $0.isAway && $0.cut == nil }
            guard !isRefused, Self.withAddress(server, { connect(upstream, $0, $1) }) == 0 else {
                close(client)
                close(upstream)
                continue
            }
            state.withLock { $0.sockets += [client, upstream] }
            Thread.detachNewThread { [self] in copy(client, upstream, .toServer) }
            Thread.detachNewThread { [self] in copy(upstream, client, .toStore) }
        }
        close(listener)
    }

    private func copy(_ from: Int32, _ to: Int32, _ direction: Direction) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(from, &buffer, buffer.count)
            guard count > 0 else { break }
            let (allowed, isCut) = state.withLock { state -> (Int, Bool) in
                if direction == .toServer { state.byteCount += count }
                guard var cut = state.cut, cut.direction == direction else { return (count, false) }
                let allowed = min(count, cut.rest)
                cut.rest -= allowed
                guard cut.rest == 0 else {
                    state.cut = cut
                    return (allowed, false)
                }
                state.cut = nil
                state.cutCount += 1
                return (allowed, true)
            }
            var sent = 0
            while sent < allowed {
                let written = buffer[sent..<allowed].withUnsafeBytes {
                    send(to, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                }
                guard written > 0 else { break }
                sent += written
            }
            if isCut {
                let body = state.withLock { state in
                    defer { state.onCut = nil }
                    return state.onCut
                }
                if let body { ends.withLock { body() } }
                break
            }
        }
        ends.withLock {
            shutdown(from, Int32(SHUT_RDWR))
            shutdown(to, Int32(SHUT_RDWR))
        }
    }

    private static func withAddress(
        _ path: String,
        _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
#endif
