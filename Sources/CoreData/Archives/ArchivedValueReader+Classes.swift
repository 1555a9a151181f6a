import Foundation

// Objects of classes that are not Foundation's: by their own `init(coder:)`.
extension ArchivedValueReader {
    /// - Throws: If the class is not allowed, has no `NSSecureCoding`, or refuses the archive.
    func makeOther(
        _ object: ArchivedObject,
        allowing classes: [AnyClass]
    ) throws(ArchiveError) -> Any {
        guard let type = Self.type(named: object.className, among: classes) else {
            throw ArchiveError(
                reason: "it holds an object of class \(object.className), which is not allowed"
            )
        }
        guard let coding = type as? any NSSecureCoding.Type, coding.supportsSecureCoding else {
            throw ArchiveError(
                reason: "the class \(object.className) does not support secure coding"
            )
        }
        let decoder = ArchiveDecoder(object, reader: self, classes: classes)
        let value = coding.init(coder: decoder)
        // Also if an object has come out: it may hold a fallback in place of a field that failed.
        if let failure = decoder.failure { throw failure }
        guard let value else {
            throw ArchiveError(reason: "the class \(object.className) refused its archive")
        }
        return value
    }

    /// An allowed class by the name that archives give it: its own, with or without the module, or
    /// the one that `NSKeyedUnarchiver.setClass(_:forClassName:)` gave it; a subclass of an allowed
    /// class only so.
    private static func type(named name: String, among classes: [AnyClass]) -> AnyClass? {
        // A name that the program has registered goes first, but only to a class below an allowed
        // one: the archive must not reach any class that happens to be registered.
        let registered: AnyClass? = NSKeyedUnarchiver.class(forClassName: name)
        if let registered, classes.contains(where: { isSubclass(registered, of: $0) }) {
            return registered
        }
        return classes.first { type in
            let own = ArchivedClassName.name(of: type)
            return own == name || own.split(separator: ".").last.map(String.init) == name
        }
    }
}
