import CoreData
import Foundation
import TestSupport
import Testing

/// Declared before its superclass, whose members it declares again.
final class GoldenTicket: Ticket {
    override var shade: String { "gold" }
    override class func keyPathsForValuesAffectingShade() -> Set<String> { ["count"] }
}

/// A class with properties of all kinds of types, as key-value access gives and takes them.
class Ticket: NSManagedObject {
    @NSManaged var title: String?
    @NSManaged var count: Int
    var price: Decimal { Decimal(string: "2.5") ?? 0 }
    var issuer: NSString { "office" }
    var huge: Int128 { 5 }
    var grade = Grade.plain
    var shade: String { "light" }
    enum Grade: String, Sendable { case plain, gold }

    /// Over the attribute of the same name, by functions that the plugin does not look into, and of a
    /// type without nil.
    var shelf: String {
        get { (primitiveText("shelf")) ?? "none" }
        set { setPrimitiveText(newValue, "shelf") }
    }
    private func primitiveText(_ key: String) -> String? { primitiveValue(forKey: key) as? String }
    private func setPrimitiveText(_ text: String, _ key: String) {
        willChangeValue(forKey: key)
        setPrimitiveValue(text, forKey: key)
        didChangeValue(forKey: key)
    }

    class func keyPathsForValuesAffectingShade() -> Set<String> { ["title"] }
    class func keyPathsForValuesAffectingPrice() -> NSSet? { nil }

    func validateTitle(_ value: AutoreleasingUnsafeMutablePointer<AnyObject?>) throws {
        value.pointee = (value.pointee as? String)?.lowercased() as NSString?
    }
}

@Suite struct KeyedPropertyTypeTests {
    private func withTicket(of type: Ticket.Type, _ body: (Ticket) throws -> Void) throws {
        let model = NSManagedObjectModel()
        model.entities = [
            LibraryModel.entity(
                "Ticket",
                type,
                [
                    LibraryModel.attribute("title", .string),
                    LibraryModel.attribute("count", .integer64),
                    LibraryModel.attribute("shelf", .string),
                ]
            )
        ]
        let stack = try TestStack(.inMemory, model: model)
        let context = stack.makeContext()
        try context.onQueue { try body(type.init(context: context)) }
        withExtendedLifetime(stack) {}
    }

    @Test func valuesComeAsObjectiveCHasThem() throws {
        try withTicket(of: Ticket.self) { ticket throws in
            #expect(ticket.value(forKey: "price") as? NSDecimalNumber == 2.5)
            #expect(ticket.value(forKey: "issuer") as? NSString == "office")
            #expect(ticket.value(forKey: "grade") as? String == "plain")
            #expect(ticket.value(forKey: "huge") as? Int128 == 5)
        }
    }

    /// With Apple's framework key-value coding does not see such a property since Swift 4.
    @Test func whatAPropertyCanNotBeSetToGoesToTheModel() throws {
        try withTicket(of: Ticket.self) { ticket throws in
            ticket.setValue("left", forKey: "shelf")
            #expect(ticket.shelf == "left")
            ticket.setValue(nil, forKey: "shelf")
            #expect(ticket.primitiveValue(forKey: "shelf") == nil)
            #expect(ticket.shelf == "none")
        }
    }

    @Test func enumerationsAreSetByTheirRawValues() throws {
        try withTicket(of: Ticket.self) { ticket throws in
            ticket.setValue("gold", forKey: "grade")
            #expect(ticket.grade == .gold)
        }
    }

    @Test func whatASubclassDeclaresAgainGoesFirst() throws {
        try withTicket(of: GoldenTicket.self) { ticket throws in
            #expect(ticket.value(forKey: "shade") as? String == "gold")
            #expect(type(of: ticket).keyPathsForValuesAffectingValue(forKey: "shade") == ["count"])
        }
        try withTicket(of: Ticket.self) { ticket throws in
            #expect(ticket.value(forKey: "shade") as? String == "light")
            #expect(type(of: ticket).keyPathsForValuesAffectingValue(forKey: "shade") == ["title"])
            #expect(type(of: ticket).keyPathsForValuesAffectingValue(forKey: "price").isEmpty)
        }
    }

    @Test func pointersToObjectsOfAClassAreTaken() throws {
        try withTicket(of: Ticket.self) { ticket throws in
            var text: NSString = "LOUD", mayBeMissing: NSString? = "LOUD"
            try withUnsafeMutablePointer(to: &text) {
                try ticket.validateTitle(AutoreleasingUnsafeMutablePointer($0))
            }
            try withUnsafeMutablePointer(to: &mayBeMissing) {
                try ticket.validateTitle(AutoreleasingUnsafeMutablePointer($0))
            }
            #expect(text == "loud" && mayBeMissing == "loud")
            mayBeMissing = nil
            try withUnsafeMutablePointer(to: &mayBeMissing) {
                try ticket.validateTitle(AutoreleasingUnsafeMutablePointer($0))
            }
            #expect(mayBeMissing == nil)
        }
    }
}
