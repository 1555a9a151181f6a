import Foundation

@testable import CoreData

/// A value of a keyed archive as a test writes it down, whether the archive makes sense or not.
indirect enum CraftedValue {
    /// What stands in the field itself.
    case plain(PropertyListValue)
    /// An object of a class, by its fields.
    case object(String, [String: CraftedValue] = [:])
    case list([CraftedValue])
    case dictionary([(CraftedValue, CraftedValue)])
    /// A reference to nil.
    case nothing
    /// A reference to an object that is not there.
    case dangling

    /// The value's form in a field, with what it refers to put into the archive.
    func field(in builder: KeyedArchiveBuilder) -> PropertyListValue {
        switch self {
        case .plain(let value): value
        case .object(let name, let fields):
            builder.object([name, "NSObject"], fields.mapValues { $0.field(in: builder) })
        case .list(let elements): builder.array(elements.map { $0.field(in: builder) })
        case .dictionary(let entries):
            builder.dictionary(
                entries.map { (key: $0.0.field(in: builder), value: $0.1.field(in: builder)) }
            )
        case .nothing: KeyedArchiveBuilder.null
        case .dangling: .reference(1 << 20)
        }
    }

    /// An archive that has the value as its root.
    var archive: Data {
        let builder = KeyedArchiveBuilder()
        return builder.data(root: field(in: builder))
    }

    /// The object in an archive of it.
    func archived() throws -> ArchivedObject {
        guard case .object(let object) = try KeyedArchive(archive).root() else {
            throw ArchiveError(reason: "the root is no object")
        }
        return object
    }
}

extension CraftedValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    init(stringLiteral value: String) { self = .plain(.string(value)) }
    init(integerLiteral value: Int64) { self = .plain(.integer(value)) }
    init(floatLiteral value: Double) { self = .plain(.real(value)) }
    init(booleanLiteral value: Bool) { self = .plain(.boolean(value)) }
    init(arrayLiteral elements: CraftedValue...) { self = .list(elements) }
    init(dictionaryLiteral entries: (CraftedValue, CraftedValue)...) { self = .dictionary(entries) }

    static func data(_ bytes: UInt8...) -> CraftedValue { .plain(.data(Data(bytes))) }
}
