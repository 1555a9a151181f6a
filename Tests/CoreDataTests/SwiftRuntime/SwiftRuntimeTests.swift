import Foundation
import Glibc
import Testing

@testable import CoreData

/// What Docs/SwiftRuntime.md says of each trick, one test each.
@Suite struct SwiftRuntimeTests {
    // MARK: WeakWord

    private final class Word: @unchecked Sendable {
        // @unchecked: used on one thread.
        var value: UInt = 0
        var isGone = false
    }
    private final class Kept {
        let word: Word
        init(_ word: Word) { self.word = word }
        deinit { word.isGone = WeakWord.object(word.value, as: Kept.self) == nil }
    }

    @Test func aWordLeadsToItsObjectUntilThatGoes() {
        let word = Word()
        do {
            let kept = Kept(word)
            word.value = WeakWord.word(kept)
            #expect(WeakWord.object(word.value, as: Kept.self) === kept)
            #expect(!word.isGone)
        }
        #expect(word.isGone)
    }

    private final class Held: WeaklyHeld, @unchecked Sendable {
        // @unchecked: it has constants only.
        let weakAnchor = WeakAnchor()
        let gone: Locked<Bool>
        init(_ gone: Locked<Bool>) { self.gone = gone }
        deinit { gone.withLock { $0 = true } }
    }

    @Test func whatIsHeldWeaklyGoesWithItsLastReferenceAlsoUnderReaders() async {
        for _ in 0..<200 {
            let gone = Locked(false)
            var held: Held? = Held(gone)
            let first = WeakHold(held), second = WeakHold(held)
            #expect(first.object === held && second.object === held)
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        // What a reader gets is whole, and is there until it lets go.
                        while let object = first.object {
                            if object.gone.withLock({ $0 }) { return false }
                        }
                        return true
                    }
                }
                held = nil
                for await isWhole in group { #expect(isWhole) }
            }
            #expect(gone.withLock { $0 } && second.object == nil)
        }
        #expect(WeakHold<Held>().object == nil)
    }

    // MARK: ClassCatalog

    private final class OnlyInTheCatalog {}

    @Test func privateClassesWithinOthersAreFoundByTheirLastName() {
        let found = ClassCatalog.classes(named: "OnlyInTheCatalog")
        #expect(found.contains { $0 == OnlyInTheCatalog.self })
        #expect(ClassCatalog.classes(named: "InNoCatalog").isEmpty)
    }

    // MARK: ClassMethodTable

    @Test func methodTablesAreReadAsExpected() { #expect(ClassMethodTable.isAsExpected) }

    @Test func foundationsCompoundPredicatesPrintAndCompareAsOurs() {
        let parts = [NSPredicate(format: "a == 1"), NSPredicate(format: "b == 2")]
        let both = NSCompoundPredicate(andPredicateWithSubpredicates: parts)
        #expect(CompoundPredicateMethods.areInstalled)
        #expect(both.description == "a == 1 AND b == 2")
        #expect(both != NSCompoundPredicate(orPredicateWithSubpredicates: parts))
        #expect(both == NSPredicate(format: "a == 1 AND b == 2"))
    }

    // MARK: ObjectClass

    private class Shape { func name() -> String { "shape" } }
    private final class Circle: Shape { override func name() -> String { "circle" } }
    private class Holder<Value> {}

    /// Asks an object whose class the compiler has not seen: where it has, it calls that class.
    @inline(never) private func name(of shape: Shape) -> String { shape.name() }

    @Test func anObjectTakesAnotherClass() {
        let shape = Shape()
        #expect(ObjectClass.set(Circle.self, of: shape))
        #expect(name(of: shape) == "circle")
        #expect((shape as AnyObject) is Circle)
    }

    @Test func aGenericClassIsPutBeneathAnother() {
        let holder: AnyObject = Holder<Int>()
        #expect(!(holder is Holder<String>))
        ObjectClass.setSuperclass(of: Holder<Int>.self, to: Holder<String>.self)
        #expect(holder is Holder<String>)
        #expect(ObjectClass.retyped(holder, as: Holder<String>.self) === holder)
    }

    // MARK: ZeroValue

    private enum Color: Equatable { case red, green }

    @Test func zeroBitsAreTheFirstCaseOfAnEnumeration() {
        #expect(ZeroValue.of(Color.self) == .red)
        #expect(ZeroValue.of(Int.self) == 0)
        #expect(ZeroValue.of(NSObject.self) == nil)
    }

    // MARK: ArgumentList

    @Test func argumentListsAreReadByFunctionsOfC() {
        let list = ArgumentList.make([7, 2.5, Int32(-3)])
        var text = [CChar](repeating: 0, count: 64)
        vsnprintf(&text, text.count, "%ld %.1f %d", list)
        let written = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        #expect(String(decoding: written, as: UTF8.self) == "7 2.5 -3")
    }

    // MARK: Initializers of classes that are known at run time only

    final class RuntimeBook: NSManagedObject {}

    @Test func classesKnownAtRunTimeAreMadeByTheirOwnInitializers() throws {
        let model = NSManagedObjectModel()
        let entity = NSEntityDescription()
        entity.name = "Book"
        entity.managedObjectClassName = "RuntimeBook"
        model.entities = [entity]
        let coordinatorType: NSPersistentStoreCoordinator.Type = NSPersistentStoreCoordinator.self
        let coordinator = coordinatorType.init(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType,
            configurationName: nil,
            at: nil,
            options: nil
        )
        let contextType: NSManagedObjectContext.Type = NSManagedObjectContext.self
        let context = contextType.init(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        context.performAndWait {
            let bookType: NSManagedObject.Type = RuntimeBook.self
            #expect(bookType.init(entity: entity, insertInto: context) is RuntimeBook)
            let made = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
            #expect(made is RuntimeBook)
        }
    }
}
