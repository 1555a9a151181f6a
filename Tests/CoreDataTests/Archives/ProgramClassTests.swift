import Foundation
import Testing

@testable import CoreData

/// Takes apart what its coder offers.
private class Probe: NSObject, NSSecureCoding {
    class var supportsSecureCoding: Bool { true }
    var text: String?
    var note: String?
    var defaults: [Double] = []
    var allowedCount = 0
    var isRefusedWithError = false

    override init() { super.init() }
    required init?(coder: NSCoder) {
        super.init()
        text = coder.decodeObject(forKey: "text") as? String
        note = coder.decodeObject(of: nil, forKey: "text") as? String
        defaults = [
            coder.decodeBool(forKey: "none") ? 1 : 0, Double(coder.decodeInteger(forKey: "none")),
            coder.decodeDouble(forKey: "none"), Double(coder.decodeFloat(forKey: "none")),
        ]
        allowedCount = coder.allowedClasses?.count ?? 0
        // What a class may do that finds its own fields wanting.
        if coder.containsValue(forKey: "isWrong"), coder.decodingFailurePolicy == .setErrorAndReturn
        {
            coder.failWithError(CocoaError(.coderReadCorrupt))
            coder.failWithError(CocoaError(.fileNoSuchFile))
            guard coder.error == nil else { return nil }
        }
        _ = coder.decodeBool(forKey: "flag")
    }
    func encode(with coder: NSCoder) {
        guard coder.requiresSecureCoding else { return }
        coder.encode(text.map { $0 as NSString }, forKey: "text")
        coder.encodeBytes(nil, length: 0, forKey: "bytes")
    }
}

private final class LaterProbe: Probe {
    override var classForKeyedArchiver: AnyClass? { nil }
}

private final class OpenProbe: Probe {
    override class var supportsSecureCoding: Bool { false }
}

/// Gives nothing out of any archive.
private final class Refusing: NSObject, NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    override init() { super.init() }
    init?(coder: NSCoder) { nil }
    func encode(with coder: NSCoder) {
        coder.encode(Thread.current, forKey: "thread")
        coder.encode(Thread.current, forKey: "again")
    }
}

/// A class of Swift's, which no dictionary of Foundation's takes for a key.
private final class Bare: NSSecureCoding {
    static var supportsSecureCoding: Bool { true }
    init?(coder: NSCoder) {}
    func encode(with coder: NSCoder) {}
}

/// Objects of a program's classes in archives, each made by its own `init(coder:)`.
@Suite struct ProgramClassTests {
    private let classes: [AnyClass] = [
        Probe.self, OpenProbe.self, Refusing.self, Bare.self, NSString.self, NSDictionary.self,
    ]

    private func read(_ crafted: CraftedValue) throws -> Any? {
        try TransformableValue.value(of: crafted.archive, allowing: classes)
    }

    private func reason(_ crafted: CraftedValue) -> String {
        let error = #expect(throws: ArchiveError.self) { try read(crafted) }
        return error?.reason ?? ""
    }

    @Test func fieldsThatAreNotThereCountAsZero() throws {
        let probe = try #require(try read(.object("Probe", ["text": "a"])) as? Probe)
        #expect(probe.text == "a" && probe.note == "a")
        #expect(probe.defaults == [0, 0, 0, 0])
        #expect(probe.allowedCount == classes.count)
    }

    @Test func aFieldOfAnotherTypeRefusesTheObject() {
        #expect(reason(.object("Probe", ["flag": "yes"])).contains("the field flag"))
        let list = reason(.object("Probe", ["text": .object("NSArray")]))
        #expect(list.contains("class NSArray, which is not allowed"))
    }

    @Test func whatAnObjectSaysIsWrongIsTheError() {
        let expected = CocoaError(.coderReadCorrupt).localizedDescription
        #expect(reason(.object("Probe", ["isWrong": true])) == expected)
    }

    @Test func classesThatCanNotBeReadAreNamed() {
        #expect(reason(.object("OpenProbe")).contains("does not support secure coding"))
        #expect(reason(.object("Refusing")) == "the class Refusing refused its archive")
        #expect(reason([.object("Bare"): "x"]).contains("NS.keys"))
    }

    /// An archive of a class that has got another name since, as with Foundation's unarchiver.
    @Test func registeredNamesLeadToClassesBelowAllowedOnes() throws {
        NSKeyedUnarchiver.setClass(LaterProbe.self, forClassName: "EarlierProbe")
        NSKeyedUnarchiver.setClass(Thread.self, forClassName: "EarlierThread")
        #expect(try read(.object("EarlierProbe", ["text": "a"])) is LaterProbe)
        #expect(reason(.object("EarlierThread")).contains("EarlierThread, which is not allowed"))
    }

    @Test func objectsAreWrittenByTheirOwnClass() throws {
        let later = LaterProbe()
        later.text = "b"
        let archive = try KeyedArchive(TransformableValue.archive(later))
        guard case .object(let object) = try archive.root() else {
            Issue.record("no object")
            return
        }
        #expect(object.className.hasSuffix("LaterProbe"))
        #expect(object.classNames[1].hasSuffix(".Probe"))
        #expect(try object.string("text") == "b")
        #expect(object.fields["bytes"] == .data(Data()))
    }

    @Test func anObjectWithAFieldThatCanNotBeArchivedIsNotWritten() {
        let error = #expect(throws: CocoaError.self) { try TransformableValue.archive(Refusing()) }
        #expect(error?.localizedDescription.contains("A value of type Thread") == true)
    }
}
