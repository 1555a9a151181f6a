import Foundation

/// Primary keys for the rows of a store that knows them by identifiers of its own.
///
/// > Threading: Any thread.
final class ReferenceKeys: Sendable {
    private struct State {
        var keys: [Place: Int64] = [:]
        /// By key - 1.
        var places: [Place] = []
    }
    private struct Place: Hashable {
        let entity: String
        let reference: RowIdentifier
    }
    private let state = Locked(State())

    /// The key of a row, the same for as long as this lives.
    func key(_ reference: RowIdentifier, _ layout: EntityLayout) -> Int64 {
        let place = Place(entity: layout.name, reference: reference)
        return state.withLock { state in
            if let key = state.keys[place] { return key }
            state.places.append(place)
            let key = Int64(state.places.count)
            state.keys[place] = key
            return key
        }
    }

    /// The identifier behind a key; nil for a key that this did not make.
    func reference(_ primaryKey: Int64) -> RowIdentifier? {
        state.withLock { state in
            let index = Int(clamping: primaryKey) - 1
            return state.places.indices.contains(index) ? state.places[index].reference : nil
        }
    }
}

/// What a store of a client knows a row by.
enum RowIdentifier: Hashable, Sendable {
    case integer(Int64)
    case text(String)
    case uuid(UUID)

    /// nil for a value of another type.
    init?(_ value: Any) {
        switch value {
        case let uuid as UUID: self = .uuid(uuid)
        case let text as String: self = .text(text)
        case let integer as any BinaryInteger:
            guard let exact = Int64(exactly: integer) else { return nil }
            self = .integer(exact)
        case let number as NSNumber: self = .integer(number.int64Value)
        default: return nil
        }
    }

    /// As store classes of clients get it.
    var anyValue: Any {
        switch self {
        case .integer(let integer): NSNumber(value: integer)
        case .text(let text): text
        case .uuid(let uuid): uuid
        }
    }

    // MARK: URIs

    private static let allowed = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
    )

    /// As it stands in a URI. A text that looks like an integer or a UUID has its first character
    /// escaped, which is how reading tells it from one.
    var uriText: String {
        switch self {
        case .integer(let integer): return "\(integer)"
        case .uuid(let uuid): return uuid.uuidString
        case .text(let text):
            let escaped = text.addingPercentEncoding(withAllowedCharacters: Self.allowed) ?? ""
            // Reading is asked instead of a rule being repeated: the two can't drift apart.
            guard case .text = Self(uriText: escaped), Self(uriText: escaped) == self else {
                let first = escaped.utf8.first ?? 0
                return "%" + String(first, radix: 16, uppercase: true) + escaped.dropFirst()
            }
            return escaped
        }
    }

    /// Reads what `uriText` gives; nil if its escapes are malformed.
    init?(uriText: String) {
        if let integer = Int64(uriText), "\(integer)" == uriText {
            self = .integer(integer)
        } else if let uuid = UUID(uuidString: uriText), uuid.uuidString == uriText {
            self = .uuid(uuid)
        } else {
            guard let text = uriText.removingPercentEncoding else { return nil }
            self = .text(text)
        }
    }
}
