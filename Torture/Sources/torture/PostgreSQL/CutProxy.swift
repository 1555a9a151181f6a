#if PostgreSQL
import Foundation

/// Stands between a store and its server, and cuts the connection of the store's saves after so many
/// bytes.
///
/// The connection of the feed, which is told by its LISTEN, passes always: its bytes come when they
/// like, and would make each cut another one.
///
/// > Threading: Any thread.
final class CutProxy: Sendable {
    enum Direction: String, CaseIterable {
        case toServer = "to-server"
        case toStore = "to-store"
    }

    /// What becomes of the server's end of a connection that is cut, and of the next ones.
    enum Mode: String, CaseIterable {
        /// The server hears of it at once, and the next connection passes.
        case once
        /// The server hears of it some milliseconds later: the transaction is still under way when the
        /// store asks what became of it.
        case late
        /// The connection after it is cut in the same place.
        case twice
        /// No connection is let through after it, until all pass again.
        case away
    }

    private struct State {
        var mode = Mode.once
        var direction = Direction.toServer
        /// After how many bytes each of the next connections is cut.
        var cuts: [Int] = []
        /// How many bytes are left of the first of them.
        var rest = 0
        var cutCount = 0
        var isAway = false
    }
    private static let socketName = ".s.PGSQL.5432"

    let folder: URL
    private let server: String
    private let listener: Int32
    private let state = Guarded(State())

    init(in folder: URL, to server: TortureServer) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.server = server.folder.appendingPathComponent(Self.socketName).path
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let path = folder.appendingPathComponent(Self.socketName).path
        guard Self.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
        else {
            throw UsageError(text: "there is no socket \(path)")
        }
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

    /// Cuts the next connection that is used, after so many bytes from now on.
    func cut(_ direction: Direction, after byteCount: Int, _ mode: Mode) {
        state.withLock { state in
            state.mode = mode
            state.direction = direction
            state.cuts = Array(repeating: byteCount, count: mode == .twice ? 2 : 1)
            state.rest = byteCount
            state.cutCount = 0
        }
    }

    /// Lets all connections pass again.
    ///
    /// - Returns: How many were cut.
    func pass() -> Int {
        state.withLock { state in
            state.cuts = []
            state.isAway = false
            return state.cutCount
        }
    }

    private func accept() {
        while true {
            let client = Foundation.accept(listener, nil, nil)
            guard client >= 0 else { return }
            let upstream = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let isAway = state.withLock { $0.isAway }
            guard !isAway, Self.withAddress(server, { connect(upstream, $0, $1) }) == 0 else {
                close(client)
                close(upstream)
                continue
            }
            Thread.detachNewThread { [self] in carry(client, upstream) }
        }
    }

    /// Copies both ways until one end closes, or the connection is cut.
    private func carry(_ client: Int32, _ upstream: Int32) {
        let sockets = [client, upstream]
        var isFeed = false
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var isCut = false
        while !isCut {
            var ends = sockets.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            guard poll(&ends, 2, -1) > 0 else { break }
            for (place, direction) in Direction.allCases.enumerated()
            where ends[place].revents != 0 && !isCut {
                let count = read(sockets[place], &buffer, buffer.count)
                guard count > 0 else {
                    isCut = true
                    break
                }
                let bytes = buffer[..<count]
                if direction == .toServer, !isFeed {
                    isFeed = String(decoding: bytes, as: UTF8.self).contains("LISTEN ")
                }
                let allowed = isFeed ? nil : allowance(count, direction)
                Self.write(bytes.prefix(allowed ?? count), to: sockets[1 - place])
                isCut = allowed != nil
            }
        }
        close(client)
        // What was let through is with the server, which has not heard yet that this is all.
        if state.withLock({ $0.mode == .late }) { usleep(Self.lateness) }
        close(upstream)
    }

    /// How many of some bytes may pass before the connection is cut; nil for all of them.
    private func allowance(_ count: Int, _ direction: Direction) -> Int? {
        state.withLock { state in
            guard direction == state.direction, !state.cuts.isEmpty else { return nil }
            guard count >= state.rest else {
                state.rest -= count
                return nil
            }
            let allowed = state.rest
            state.cuts.removeFirst()
            state.rest = state.cuts.first ?? 0
            state.cutCount += 1
            state.isAway = state.mode == .away
            return allowed
        }
    }

    /// In microseconds: longer than the store takes to ask on a new connection.
    private static let lateness: UInt32 = 5_000

    private static func write(_ bytes: ArraySlice<UInt8>, to socket: Int32) {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // The other end is gone; the next reading says so.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
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
