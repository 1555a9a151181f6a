import Foundation

/// The classes of Foundation whose archives are read here, with the names that archives give them.
///
/// The fields are those of Apple's archives, as model files and stores show them.
enum FoundationArchive: String {
    case string = "NSString"
    case mutableString = "NSMutableString"
    case number = "NSNumber"
    case decimalNumber = "NSDecimalNumber"
    /// The class of decimal numbers in archives of Apple's platforms.
    case decimalNumberPlaceholder = "NSDecimalNumberPlaceholder"
    case date = "NSDate"
    case data = "NSData"
    case mutableData = "NSMutableData"
    case url = "NSURL"
    case null = "NSNull"
    case array = "NSArray"
    case mutableArray = "NSMutableArray"
    case set = "NSSet"
    case mutableSet = "NSMutableSet"
    case orderedSet = "NSOrderedSet"
    case mutableOrderedSet = "NSMutableOrderedSet"
    case dictionary = "NSDictionary"
    case mutableDictionary = "NSMutableDictionary"
    case indexSet = "NSIndexSet"
    case mutableIndexSet = "NSMutableIndexSet"
    case indexPath = "NSIndexPath"
    case timeZone = "NSTimeZone"
    case locale = "NSLocale"
    case attributedString = "NSAttributedString"
    case mutableAttributedString = "NSMutableAttributedString"

    /// What property lists and their kin are made of: the classes that an archive of values may
    /// hold if nobody says more.
    static let propertyListClasses: [AnyClass] =
        [
            NSString.self, NSNumber.self, NSArray.self, NSDictionary.self, NSDate.self,
            NSData.self, NSSet.self, NSURL.self, NSOrderedSet.self, NSNull.self,
        ] + AttributeKinds.archivedClasses

    /// What a value is called that a set or the keys of a dictionary can't hold on Linux; nil for
    /// one that they can hold.
    ///
    /// Foundation takes these for Swift's arrays and dictionaries there, which need elements that
    /// have a hash in Swift, and stops the process as it compares or goes through such sets.
    static func nameOfUnhashable(_ value: Any) -> String? {
        switch value {
        case is NSArray: "an array"
        case is NSDictionary: "a dictionary"
        default: nil
        }
    }

    /// The class that comes out.
    var type: AnyClass {
        switch self {
        case .string: NSString.self
        case .mutableString: NSMutableString.self
        case .number: NSNumber.self
        case .decimalNumber, .decimalNumberPlaceholder: NSDecimalNumber.self
        case .date: NSDate.self
        case .data: NSData.self
        case .mutableData: NSMutableData.self
        case .url: NSURL.self
        case .null: NSNull.self
        case .array: NSArray.self
        case .mutableArray: NSMutableArray.self
        case .set: NSSet.self
        case .mutableSet: NSMutableSet.self
        case .orderedSet: NSOrderedSet.self
        case .mutableOrderedSet: NSMutableOrderedSet.self
        case .dictionary: NSDictionary.self
        case .mutableDictionary: NSMutableDictionary.self
        case .indexSet: NSIndexSet.self
        case .mutableIndexSet: NSMutableIndexSet.self
        case .indexPath: NSIndexPath.self
        case .timeZone: NSTimeZone.self
        case .locale: NSLocale.self
        case .attributedString: NSAttributedString.self
        case .mutableAttributedString: NSMutableAttributedString.self
        }
    }

    /// Makes the object; mutable classes come out as such.
    func make(
        _ object: ArchivedObject,
        reader: ArchivedValueReader,
        allowing classes: [AnyClass]
    ) throws(ArchiveError) -> Any {
        func elements() throws(ArchiveError) -> [Any] {
            var elements: [Any] = []
            for element in try object.elements() {
                elements.append(try reader.element(element, allowing: classes))
            }
            return elements
        }
        func setElements() throws(ArchiveError) -> [Any] {
            try reader.hashedElements(try object.elements(), allowing: classes)
        }
        func orderedSetElements() throws(ArchiveError) -> [Any] {
            let elements = try object.elements()
            return try reader.hashedElements(elements, allowing: classes, areHashable: false)
        }
        switch self {
        case .array: return NSArray(array: try elements())
        case .mutableArray: return NSMutableArray(array: try elements())
        case .set: return NSSet(array: try setElements())
        case .mutableSet: return NSMutableSet(array: try setElements())
        case .orderedSet: return NSOrderedSet(array: try orderedSetElements())
        case .mutableOrderedSet: return NSMutableOrderedSet(array: try orderedSetElements())
        case .dictionary, .mutableDictionary:
            let dictionary = try dictionary(object, reader, allowing: classes)
            return self == .dictionary ? dictionary.copy() : dictionary
        case .url: return try url(object, reader)
        case .attributedString, .mutableAttributedString:
            return try attributedString(object, reader, allowing: classes)
        default: return try leaf(object)
        }
    }

    private func dictionary(
        _ object: ArchivedObject,
        _ reader: ArchivedValueReader,
        allowing classes: [AnyClass]
    ) throws(ArchiveError) -> NSMutableDictionary {
        let entries = try object.entries()
        let keys = try reader.hashedElements(entries.map(\.key), allowing: classes)
        let dictionary = NSMutableDictionary()
        for (key, entry) in zip(keys, entries) {
            guard let key = key as? NSObject else { throw object.malformed("NS.keys") }
            dictionary[key] = try reader.element(entry.value, allowing: classes)
        }
        return dictionary
    }

    private func url(
        _ object: ArchivedObject,
        _ reader: ArchivedValueReader
    ) throws(ArchiveError) -> Any {
        // Through the reader, so that a chain of bases counts as depth and a circle is found.
        let base = try reader.object(try object.value("NS.base"), allowing: [NSURL.self])
        guard let relative = try object.string("NS.relative"),
            let url = NSURL(string: relative, relativeTo: base.flatMap { URL(bridging: $0) }),
            URL(bridging: url) != nil
        else { throw object.malformed("NS.relative") }
        return url
    }

    /// Objects without other objects in them.
    private func leaf(_ object: ArchivedObject) throws(ArchiveError) -> Any {
        switch self {
        case .string: return try object.text() as NSString
        case .mutableString: return NSMutableString(string: try object.text())
        case .null: return NSNull()
        case .date:
            let seconds = try Self.real(object, "NS.time")
            // The description of a date that is not a number would stop the process.
            guard !seconds.isNaN else { throw object.malformed("NS.time") }
            return NSDate(timeIntervalSinceReferenceDate: seconds)
        case .data: return try Self.data(object, "NS.data") as NSData
        case .mutableData: return NSMutableData(data: try Self.data(object, "NS.data"))
        case .number: return try Self.number(object)
        case .decimalNumber, .decimalNumberPlaceholder:
            return NSDecimalNumber(decimal: try Self.decimal(object))
        case .indexSet: return try Self.indexSet(object)
        case .mutableIndexSet:
            return NSMutableIndexSet(indexSet: try Self.indexSet(object) as IndexSet)
        case .indexPath: return try Self.indexPath(object)
        case .timeZone:
            let name = try object.string("NS.name") ?? ""
            guard let zone = NSTimeZone(name: name) else { throw object.malformed("NS.name") }
            return zone
        case .locale: return NSLocale(localeIdentifier: try object.string("NS.identifier") ?? "")
        default: throw object.malformed("$class")
        }
    }
}
