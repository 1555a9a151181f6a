import Foundation

/// The code base that Docs/Porting.md takes as its example, as far as the page shows it.
enum JournalSources {
    static func write(to folder: URL) throws {
        let sources = folder.appendingPathComponent("Sources/Journal")
        let model = sources.appendingPathComponent(
            "Resources/Journal.xcdatamodeld/Journal.xcdatamodel"
        )
        try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
        try Data(contents.utf8).write(to: model.appendingPathComponent("contents"))
        for (name, text) in [("Entry.swift", entry), ("Stack.swift", stack), ("List.swift", list)] {
            try Data(text.utf8).write(to: sources.appendingPathComponent(name))
        }
    }

    private static let contents = """
        <model documentVersion="1.0"><entity name="Tag" representedClassName="Tag" \
        codeGenerationType="class"><attribute name="name" optional="YES" attributeType="String"/>\
        </entity><entity name="Entry" representedClassName="Entry"><attribute name="date" \
        optional="YES" attributeType="Date"/></entity></model>
        """

    private static let entry = """
        import CoreData

        @objc(Entry)
        class Entry: NSManagedObject {
            @NSManaged var date: Date?
            @NSManaged var title: String?

            static func byDate() -> NSSortDescriptor {
                NSSortDescriptor(key: #keyPath(Entry.date), ascending: false)
            }

            static func byTitle() -> NSSortDescriptor {
                NSSortDescriptor(
                    key: "title",
                    ascending: true,
                    selector: #selector(NSString.localizedStandardCompare(_:))
                )
            }
        }
        """

    private static let stack = """
        import CoreData
        import os.log
        #if canImport(UIKit)
        import UIKit
        typealias Thumbnail = UIImage
        #endif

        class Stack: NSObject {
            let main: NSManagedObjectContext

            init(main: NSManagedObjectContext) {
                self.main = main
                super.init()
                NotificationCenter.default.addObserver(
                    self,
                    selector: #selector(didSave(_:)),
                    name: .NSManagedObjectContextDidSave,
                    object: nil
                )
            }

            @objc func didSave(_ notification: Notification) {
                main.perform { self.main.mergeChanges(fromContextDidSave: notification) }
            }
        }
        """

    private static let list = """
        import CoreData

        class List {
            func thumbnail(of entry: Entry) -> Thumbnail? { nil }
        }
        """
}
