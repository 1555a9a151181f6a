#if PostgreSQL
import Foundation

/// A `SharingChild` that runs, as its parent sees it: what it has told so far.
///
/// > Threading: Any thread.
final class SharingProcess: Sendable {
    /// What a child has told.
    struct Account {
        /// The names that a save was about, by what was changed and what became of it.
        var names: [String: [SaveOutcome: [String]]] = [:]
        var outcomes: [SaveOutcome: Int] = [:]
        var isReady = false
        var hasEnded = false
        var isClosed = false
        var looks: [Look] = []
        /// What it says is wrong.
        var errors: [String] = []
        /// One line for each error of a save, without repetitions.
        var failures: [String: Int] = [:]
    }

    /// What a child's main context shows and has been told.
    struct Look {
        var digest: String
        var mainNetworkCalls: Int
        var plantedStatements: Int
        var merged: [String: Int]
    }

    let number: Int
    let place: SharedPlace
    private let told = Guarded(Account())
    private let process: Guarded<Process>
    private let input = Pipe()

    init(_ number: Int, _ place: SharedPlace, saveCount: Int?, isControl: Bool) throws {
        self.number = number
        self.place = place
        let arguments =
            ["sharing-child"] + place.arguments + ["--seed", "\(number)"]
            + (saveCount.map { ["--count", "\($0)"] } ?? []) + (isControl ? ["--control"] : [])
        let process = try TortureProgram.this.process(arguments)
        let output = Pipe()
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        try output.fileHandleForWriting.close()
        self.process = Guarded(process)
        Thread.detachNewThread { [self] in listen(output.fileHandleForReading) }
    }

    var account: Account { told.value }

    func tell(_ line: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Waits until it has told something.
    ///
    /// - Throws: If it does not within so many seconds, or says that something is wrong.
    func wait(_ seconds: Double = 90, until isSo: (Account) -> Bool, _ what: String) throws {
        let limit = Date(timeIntervalSinceNow: seconds)
        while true {
            let account = account
            if isSo(account) { return }
            guard account.errors.isEmpty, limit.timeIntervalSinceNow > 0 else {
                throw SharingFailure(
                    text:
                        "child \(number) does not \(what): \(account.errors.first ?? "time is up")"
                )
            }
            usleep(2_000)
        }
    }

    /// Looks until main shows something, or it is too late.
    ///
    /// - Returns: What it has shown last.
    func look(until digest: String) throws -> Look {
        let limit = Date(timeIntervalSinceNow: 20)
        while true {
            let count = account.looks.count
            try tell("look")
            try wait(until: { $0.looks.count > count }, "look")
            guard let look = account.looks.last else { continue }
            if look.digest == digest || limit.timeIntervalSinceNow < 0 { return look }
            usleep(20_000)
        }
    }

    /// Ends it, when its store is closed.
    func close() throws {
        try tell("close")
        try wait(until: { $0.isClosed }, "close")
        try input.fileHandleForWriting.close()
        process.withLock { $0.waitUntilExit() }
    }

    func kill() {
        process.withLock { process in
            Foundation.kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    private func listen(_ output: FileHandle) {
        var rest = Data()
        while case let data = output.availableData, !data.isEmpty {
            rest += data
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                take(String(decoding: rest[..<end], as: UTF8.self))
                rest = Data(rest[(end + 1)...])
            }
        }
    }

    private func take(_ line: String) {
        let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
        told.withLock { account in
            if let outcome = SaveOutcome(rawValue: words[0]), words.count > 2 {
                account.names[words[1], default: [:]][outcome, default: []].append(words[2])
                account.outcomes[outcome, default: 0] += 1
                if outcome != .saved {
                    account.failures[words[3...].joined(separator: " "), default: 0] += 1
                }
                return
            }
            switch words[0] {
            case "ready": account.isReady = true
            case "ended": account.hasEnded = true
            case "closed": account.isClosed = true
            case "look": account.looks.append(Look(words))
            default: account.errors.append(line)
            }
        }
    }
}

extension SharingProcess.Look {
    fileprivate init(_ words: [String]) {
        // A context without a name is no worker's.
        let pairs = words[4].split(separator: ",").map { $0.split(separator: "=") }
            .filter { $0.count == 2 }
        self.init(
            digest: words[1],
            mainNetworkCalls: Int(words[2]) ?? -1,
            plantedStatements: Int(words[3]) ?? -1,
            merged: Dictionary(
                pairs.map { (String($0[0]), Int($0[1]) ?? -1) },
                uniquingKeysWith: +
            )
        )
    }
}

/// A child that does not do as it should.
struct SharingFailure: Error {
    let text: String
}
#endif
