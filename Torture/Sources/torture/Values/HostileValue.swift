import CoreData
import Foundation

/// A value that is likely to be stored wrong.
struct HostileValue: @unchecked Sendable {
    // @unchecked: values are made by each use anew, or constant.

    /// What the documentation promises.
    enum Documented: @unchecked Sendable {
        /// It comes back as it was.
        case stored
        /// Another value comes back, which the documentation says.
        case storedAs(Any?)
        /// Of a decimal number fifteen digits come back from an SQLite store, which has numbers for
        /// them as Apple's has.
        case rounded
        /// A save throws this before anything is written.
        case refused(Int)
    }

    let name: String
    /// The attribute that it is set in.
    let key: String
    let value: Any
    var documented = Documented.stored
    /// What an import of an exported file makes of it; nil for what stores make of it.
    var exchanged: Documented?

    static let all: [HostileValue] =
        integers + reals + decimals + dates + texts + bytes + identifiers + objects

    static func named(_ name: String) -> HostileValue? { all.first { $0.name == name } }

    init(
        _ name: String,
        _ key: String,
        _ value: Any,
        _ documented: Documented = .stored,
        exchanged: Documented? = nil
    ) {
        self.name = "\(key)/\(name)"
        self.key = key
        self.value = value
        self.documented = documented
        self.exchanged = exchanged
    }
}
