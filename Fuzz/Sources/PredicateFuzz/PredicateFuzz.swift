import CoreData
import PlantedTrap

/// One round of libFuzzer: a format string is refused with an error, or it parses, prints and
/// parses back to an equal predicate, also from an archive, and can be fetched with or is refused.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    PlantedTrap.step(on: bytes, count)
    let format = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    let arguments: [Any] = ["x", 1, ["a", 2.5] as [Any], 3]
    do {
        let predicate = try NSPredicate.parse(format, arguments: arguments)
        let printed = predicate.formatString
        let again = try NSPredicate.parse(printed)
        guard again == predicate else { fatalError("\(printed) is \(again.formatString)") }
        // Foundation's constant predicates have hashes of their own.
        if type(of: predicate) != NSPredicate.self {
            guard again.hash == predicate.hash else { fatalError("\(printed) has two hashes") }
        }
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: predicate,
            requiringSecureCoding: true
        )
        let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: archive)
        guard read.map({ $0 == predicate }) == true else {
            fatalError("\(printed): its archive differs")
        }
        FetchFuzz.shared?.check(predicate)
    } catch {
        // A refusal is what most inputs deserve, unless it is of what was printed.
        do {
            let predicate = try NSPredicate.parse(format, arguments: arguments)
            // Operators print as functions, which take more levels than they do.
            if "\(error)".contains("nested levels") { return 0 }
            fatalError("\(predicate.formatString): \(error)")
        } catch { return 0 }
    }
    return 0
}
