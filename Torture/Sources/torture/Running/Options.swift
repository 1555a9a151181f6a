import Foundation

/// What the command was given.
struct Options: Sendable {
    var seed: UInt64 = 1
    /// How many points; nil for all.
    var count: Int?
    /// After how long to stop, whatever is left.
    var seconds: Double?
    var resumes = false
    var isControl = false
    /// One point to run, and nothing else.
    var point: String?
    /// Where results are kept.
    var folder = URL(fileURLWithPath: ".build/torture")
    /// Where a worker begins: the line of the plan, and the point after which.
    var line: Int?
    var after: String?
    /// How a child that nests has its main queue served.
    var setUp: NestingChild.SetUp?
    /// What a child does to a store that it shares.
    var step: String?

    /// - Throws: `UsageError` for what is not known.
    init(_ arguments: ArraySlice<String>) throws {
        var rest = arguments
        while let name = rest.popFirst() {
            switch name {
            case "--resume": resumes = true
            case "--control": isControl = true
            case "--all": count = .max
            default:
                guard let value = rest.popFirst() else {
                    throw UsageError(text: "\(name) lacks a value")
                }
                try take(name, value)
            }
        }
    }

    private mutating func take(_ name: String, _ value: String) throws {
        func number<Number: LosslessStringConvertible>(_ type: Number.Type) throws -> Number {
            guard let number = Number(value) else {
                throw UsageError(text: "\(name) takes a number, not \(value)")
            }
            return number
        }
        switch name {
        case "--seed": seed = try number(UInt64.self)
        case "--count": count = try number(Int.self)
        case "--seconds": seconds = try number(Double.self)
        case "--point": point = value
        case "--folder": folder = URL(fileURLWithPath: value)
        case "--line": line = try number(Int.self)
        case "--after": after = value
        case "--step": step = value
        case "--set-up": setUp = NestingChild.SetUp(rawValue: value)
        default: throw UsageError(text: "there is no option \(name)")
        }
    }
}

/// A command that can't be understood.
struct UsageError: Error {
    let text: String
}
