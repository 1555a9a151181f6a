import CoreData

#if canImport(ObjectiveC)
@objc(Order)
#endif
open class Order: NSManagedObject {
    @NSManaged public var number: Int64
    @NSManaged public var total: NSDecimalNumber?
    @NSManaged public var customer: Customer?
    @NSManaged private var primitiveState: Int16

    public enum State: Int16 { case open, sent, paid }

    public var state: State {
        get {
            willAccessValue(forKey: "state")
            defer { didAccessValue(forKey: "state") }
            return State(rawValue: primitiveState) ?? .open
        }
        set {
            willChangeValue(forKey: "state")
            primitiveState = newValue.rawValue
            didChangeValue(forKey: "state")
        }
    }
}
