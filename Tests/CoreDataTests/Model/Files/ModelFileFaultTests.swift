import TestSupport
import Testing

@testable import CoreData

/// Faults in the source of a model, each named with its line and its property.
@Suite struct ModelFileFaultTests {
    @Test(arguments: [
        (
            "<attribute name='x' attributeType='Date' minDateTimeInterval='soon'/>",
            "\"A.x\" has a minDateTimeInterval that is not a number of seconds"
        ),
        (
            "<attribute name='x' attributeType='Date' maxDateTimeInterval='inf'/>",
            "\"A.x\" has a maxDateTimeInterval that is not a number of seconds"
        ),
        (
            "<attribute name='x' attributeType='String' minValueString='-1'/>",
            "\"A.x\" has a minValueString that is no length"
        ),
        (
            "<relationship name='x' destinationEntity='A' maxCount='many'/>",
            "\"A.x\" has a maxCount that is not a number"
        ),
        (
            "<relationship name='x' destinationEntity='A' deletionRule='Keep'/>",
            "\"A.x\" has the delete rule \"Keep\", which does not exist"
        ),
        (
            "<attribute derived='YES' derivationExpression='sum:('/>",
            "\"A.\" the derivation expression: Unable to parse"
        ),
        (
            "<fetchedProperty name='x'><fetchRequest entity='B'/></fetchedProperty>",
            "the entity \"B\" of a fetch request does not exist"
        ),
        ("<attribute name='x'/><attribute name='x'/>", "two properties named \"x\""),
        ("<userInfo><entry value='v'/></userInfo>", "the element <entry> has no key"),
    ])
    func faultsAreNamed(content: String, expected: String) {
        let text = message {
            _ = try readModel("<model><entity name='A'>\n\(content)</entity></model>")
        }
        #expect(text.contains(expected), "\(text)")
        #expect(text.contains("/models/Test.xcdatamodel/contents"))
    }

    @Test func indexesMayBeTrees() throws {
        let model = try readModel(
            """
            <model><entity name='A'><attribute name='x' attributeType='Double'/>
            <fetchIndex name='i'><fetchIndexElement property='x' type='RTree'/></fetchIndex>
            </entity></model>
            """
        )
        let element = model.entitiesByName["A"]?.indexes.first?.elements.first
        #expect(element?.collationType == .rTree && element?.isAscending == true)
    }

    @Test func aContentsFileIsAModel() throws {
        try withTemporaryFolder { folder in
            let url = folder.appendingPathComponent("contents")
            try Data("<model><entity name='A'/></model>".utf8).write(to: url)
            #expect(try NSManagedObjectModel(readingFrom: url).entities.map(\.name) == ["A"])
        }
    }

    @Test func filesOfAnotherKindAreRefused() throws {
        try withTemporaryFolder { folder in
            func text(_ path: String) -> String {
                message {
                    _ = try NSManagedObjectModel(
                        readingFrom: folder.appendingPathComponent(path)
                    )
                }
            }
            for name in ["Flat.xcdatamodel", "Flat.xcdatamodeld", "Flat.momd"] {
                try Data().write(to: folder.appendingPathComponent(name))
                #expect(text(name).contains("it is a file, and such models are directories"))
            }
            // A hole of the file system's: there is nothing to read in it.
            let large = folder.appendingPathComponent("Large.mom")
            try Data().write(to: large)
            let file = try FileHandle(forWritingTo: large)
            try file.truncate(atOffset: UInt64(PropertyList.maximumByteCount) + 1)
            try file.close()
            #expect(text("Large.mom").contains("it is larger than 16 MiB; split the model"))
        }
    }

    @Test func pointersToTheCurrentVersionAreChecked() throws {
        try withTemporaryFolder { folder in
            let model = folder.appendingPathComponent("M.xcdatamodeld")
            for name in ["A", "B"] {
                let version = model.appendingPathComponent("\(name).xcdatamodel")
                try FileManager.default.createDirectory(
                    at: version,
                    withIntermediateDirectories: true
                )
                try Data("<model><entity name='\(name)'/></model>".utf8)
                    .write(to: version.appendingPathComponent("contents"))
            }
            func text() -> String { message { _ = try NSManagedObjectModel(readingFrom: model) } }
            #expect(text().contains("several versions and no .xccurrentversion"))
            let pointer = model.appendingPathComponent(".xccurrentversion")
            for (content, expected) in [
                ("<plist>", ".xccurrentversion"),
                ("<plist><dict/></plist>", "several versions and no .xccurrentversion"),
                (
                    "<plist><dict><key>_XCCurrentVersionName</key><integer>1</integer></dict></plist>",
                    "no string for the key _XCCurrentVersionName"
                ),
            ] {
                try Data(content.utf8).write(to: pointer)
                #expect(text().contains(expected), "\(text())")
            }
        }
    }
}
