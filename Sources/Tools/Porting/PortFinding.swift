/// A line that Linux can't compile, and what is to be done about it.
package struct PortFinding: Sendable, Equatable {
    /// Who does it.
    package enum Kind: Sendable, Equatable {
        /// The rewritten source has it already.
        case rewritten
        /// A person has to.
        case left
    }

    /// Who does it.
    package let kind: Kind
    /// The line in the source as it was, from 1.
    package let line: Int
    /// What stands there, and what is written or to be written in its place.
    package let message: String
}

/// A source that Linux can compile, as far as that can be done without a person.
package struct PortedSource: Sendable {
    /// The text; what no rule is about is as it was, byte for byte.
    package let bytes: [UInt8]
    /// What was found, by line.
    package let findings: [PortFinding]
    /// The modules of this package, beside CoreData, that the text uses on Linux.
    package let neededModules: Set<String>
    /// The types that are there only where a module is that Linux lacks, each with the module.
    package let goneTypes: [String: String]
    /// What is declared and used for Linux, and what only for other platforms.
    let names: NameUses
}
