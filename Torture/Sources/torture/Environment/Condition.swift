import CoreData
import Foundation
import MergeStack

/// Something around the program that is not as it should be, while a scenario's step is tried.
struct Condition: @unchecked Sendable {
    // @unchecked: the closures touch nothing but their arguments.

    /// What the documentation promises of the step meanwhile.
    enum Documented {
        case works
        /// An error of `NSCocoaErrorDomain`.
        case error(Int)
        /// An error of the layer.
        case layer(MergeStackError.Code)
    }

    let name: String
    let scenario: Scenario
    let documented: Documented
    var surroundings = Surroundings()
    /// Whether it never ends, so that nothing works before it, and no second try afterwards.
    var lasts = false
    /// Changes the files before the scenario begins; what it does lasts.
    var prepare: (URL) throws -> Void = { _ in }
    /// Makes it so; returns what takes it back.
    var begin: (URL) throws -> () throws -> Void = { _ in {} }

    static let all: [Condition] =
        paths + permissions + space + sharing + limits + leftovers + process + exchange

    static func named(_ name: String) -> Condition? { all.first { $0.name == name } }

    /// - Parameters:
    ///   - name: What is not as it should be.
    ///   - scenario: The name of the scenario whose step is tried.
    init(
        _ name: String,
        _ scenario: String,
        _ documented: Documented,
        _ surroundings: Surroundings = Surroundings(),
        begin: @escaping (URL) throws -> () throws -> Void = { _ in {} }
    ) {
        guard
            let found = Scenario.named(scenario)
                ?? Scenario.environment.first(where: { $0.name == scenario })
        else { fatalError("There is no scenario \(scenario).") }
        self.name = "\(name)/\(scenario)"
        self.scenario = found
        self.documented = documented
        self.surroundings = surroundings
        self.begin = begin
    }

    /// The same for what never ends.
    func lasting() -> Condition {
        var condition = self
        condition.lasts = true
        return condition
    }

    /// The same with files that are changed before the scenario begins.
    func prepared(_ prepare: @escaping (URL) throws -> Void) -> Condition {
        var condition = self
        condition.prepare = prepare
        return condition
    }

    /// What is wrong with an outcome; nil if it is the documented one.
    func departure(_ failure: (any Error)?) -> String? {
        let found = failure.map { "\(Sentence.of($0))" } ?? "no error"
        switch documented {
        case .works: return failure.map { _ in "\(found), and it is documented to work" }
        case .error(let code):
            let error = failure as NSError?
            return error?.domain == NSCocoaErrorDomain && error?.code == code
                ? nil : "\(found), and the documented error is \(code)"
        case .layer(let code):
            return (failure as? MergeStackError)?.code == code
                ? nil : "\(found), and the documented error is \(code)"
        }
    }
}

/// How the process is started in which a condition is tried.
struct Surroundings: Sendable {
    /// Whose rights the process has.
    enum User { case own, nobody }

    var user = User.own
    /// Kilobytes of memory that are mounted as its folder; nil for an ordinary folder.
    var memory: Int?
    /// Variables of its environment, and those that it lacks.
    var variables: [String: String] = [:]
    var missing: [String] = []
    /// What the shell does before it starts the program.
    var shell: String?
    /// Namespaces of its own, as options of `unshare`.
    var namespaces: String?
    /// The name of the attempt's folder, which may be several folders.
    var folder = "attempt"

    static let nobody = Surroundings(user: .nobody)
    static let memory = Surroundings(memory: 8_192, namespaces: "-Urm")
}

/// A condition that can't be made here: the machine, or the user, does not allow it.
struct NotPossibleHere: Error {
    let reason: String
}
