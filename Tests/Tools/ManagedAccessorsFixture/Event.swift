import CoreData

/// A class with properties written in Swift, as key-value access shall find them.
open class Event: NSManagedObject {
    @NSManaged public var title: String?
    @NSManaged public var timeStamp: Date?
    @NSManaged public var next: Event?

    /// Computed, and in no model.
    #if canImport(ObjectiveC)
    @objc
    #endif
    open var initial: String { String((title ?? "").prefix(1)) }

    /// A transient attribute that is made when it is first asked for, as Apple's sample
    /// DateSectionTitles does it.
    public var sectionIdentifier: String? {
        willAccessValue(forKey: "sectionIdentifier")
        let known = primitiveValue(forKey: "sectionIdentifier") as? String
        didAccessValue(forKey: "sectionIdentifier")
        if let known { return known }
        let seconds = timeStamp?.timeIntervalSinceReferenceDate ?? 0
        let made = seconds < 1000 ? "early" : "late"
        setPrimitiveValue(made, forKey: "sectionIdentifier")
        return made
    }

    /// Written over key-value access of its own key, which gives what is stored.
    public var place: String? {
        get { (value(forKey: "place") as? String).map { "in \($0)" } }
        set { setValue(newValue?.uppercased(), forKey: "place") }
    }

    /// The same, by a function.
    public var memo: String? {
        get { stored("memo").map { "(\($0))" } }
        set { store(newValue, "memo") }
    }
    private func stored(_ key: String) -> String? { value(forKey: key) as? String }
    private func store(_ value: String?, _ key: String) { setValue(value, forKey: key) }

    /// Of a type that Objective-C lacks: key-value access goes to the model.
    public var kind: Kind? {
        get { (primitiveValue(forKey: "kind") as? Int).flatMap(Kind.init) }
        set { setPrimitiveValue(newValue?.rawValue, forKey: "kind") }
    }
    public enum Kind: Int, Sendable { case small = 1, large }

    public var seats = 4
    public var tables: Int { seats / 4 }
    public private(set) var closed: Bool = false
    public static var plural: String { "Events" }
    @available(*, deprecated) public var oldTitle: String? { title }
    private var secret: String { "secret" }

    open var rank: Kind { seats > 10 ? .large : .small }
}
