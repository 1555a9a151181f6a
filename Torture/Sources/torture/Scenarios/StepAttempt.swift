import CoreData
import Foundation

/// A step that is no save: it leaves a store as it was or as it is meant to be, and works when it is
/// tried again.
final class StepAttempt: Attempt {
    /// What may be in the file after the step has failed.
    enum AfterFailure {
        /// Nothing has changed.
        case before
        /// All has changed, or nothing.
        case beforeOrAfter
    }

    let url: URL
    private let afterFailure: AfterFailure
    private let step: () throws -> [String]
    private let check: () throws -> [String]
    private let finish: () throws -> Void
    /// What `step` finds wrong with what it has read.
    private var findings: [String] = []

    /// - Parameters:
    ///   - url: The store that is compared.
    ///   - check: What is wrong afterwards, when nothing fails any more.
    ///   - finish: Closes what is open.
    ///   - step: What is tried; returns what is wrong with what it has read.
    init(
        _ url: URL,
        _ afterFailure: AfterFailure = .before,
        check: @escaping () throws -> [String] = { [] },
        finish: @escaping () throws -> Void = {},
        step: @escaping () throws -> [String]
    ) {
        self.url = url
        self.afterFailure = afterFailure
        self.check = check
        self.finish = finish
        self.step = step
    }

    func act() throws { findings = try step() }

    func judge(_ failure: (any Error)?, _ clean: CleanRun?) throws -> [String] {
        var wrong = findings
        if let failure {
            wrong += untyped(failure)
            if let clean {
                let allowed = afterFailure == .before ? [clean.before] : clean.allowed
                wrong += compare(url, with: allowed, "after a step that failed")
            }
            wrong += try check()
            do {
                try act()
                wrong += findings
            } catch {
                wrong.append("a second try fails: \(Sentence.of(error))")
            }
        }
        if let clean { wrong += compare(url, with: [clean.after], "after the step") }
        return try wrong + check()
    }

    func end() throws { try finish() }
}

/// Something that steps make and the end of an attempt closes.
final class Kept<Value> {
    var value: Value?
}
