import Foundation
import TestSupport
import Testing

@testable import CoreData

@Suite struct BinaryStoreFormatTests {
    private static let reference = RowReference(entityIndex: 0, primaryKey: 1)

    private func image() -> StoreImage {
        StoreImage(
            metadata: [NSStoreTypeKey: NSBinaryStoreType, NSStoreUUIDKey: "U"],
            entities: [
                StoreImage.Entity(
                    name: "Person",
                    nextKey: 3,
                    columns: [
                        StoreImage.Column(name: "name", kind: .string),
                        StoreImage.Column(name: "age", kind: .integer32),
                        StoreImage.Column(name: "photo", kind: BinaryKind.storage),
                    ],
                    objects: [
                        StoreImage.Object(
                            primaryKey: 1,
                            version: 2,
                            values: [.text("Ada"), .integer(5), .bytes(Data([1]))]
                        ),
                        StoreImage.Object(
                            primaryKey: 2,
                            version: 1,
                            values: [.null, .null, .null]
                        ),
                    ]
                )
            ],
            links: [
                StoreImage.Link(
                    owner: Self.reference,
                    name: "friends",
                    members: [RowReference(entityIndex: 0, primaryKey: 2)]
                )
            ]
        )
    }

    /// The description of such a date stops the process.
    @Test func datesThatAreNoNumbersAreRefused() throws {
        var dated = image()
        dated.entities[0].columns = [StoreImage.Column(name: "born", kind: .date)]
        for (seconds, isRefused) in [(7.5, false), (.infinity, false), (.nan, true)] {
            dated.entities[0].objects = [
                StoreImage.Object(primaryKey: 1, version: 1, values: [.real(seconds)])
            ]
            let bytes = try BinaryStoreFormat.encode(dated, url: nil)
            if isRefused {
                let error = #expect(throws: CocoaError.self) {
                    try BinaryStoreFormat.decode(bytes, url: nil)
                }
                #expect(error?.code == .fileReadCorruptFile)
            } else {
                #expect(try BinaryStoreFormat.decode(bytes, url: nil).entities.count == 1)
            }
        }
    }

    @Test func theChecksumIsThatOfTheStandard() {
        // The check value that catalogues of such checksums give for "123456789".
        #expect(CyclicChecksum.crc32(Array("123456789".utf8)[...]) == 0xCBF4_3926)
    }

    @Test func theHeaderIsAsDocumented() throws {
        let bytes = try BinaryStoreFormat.encode(image(), url: nil)
        #expect(Array(bytes.prefix(12)) == Array("CDBINARY".utf8) + [1, 0, 0, 0])
        let checksum = CyclicChecksum.crc32(bytes[16...])
        #expect(
            Array(bytes[12..<16]) == (0..<4).map { UInt8(truncatingIfNeeded: checksum >> ($0 * 8)) }
        )
    }

    /// Files that were made to do harm have a checksum that is right.
    @Test func noContentBehindARightChecksumStopsTheProcess() throws {
        let good = try BinaryStoreFormat.encode(image(), url: nil)
        let model = SampleModel.make().layout
        var refused = 0, read = 0
        for index in 16..<good.count {
            for value in [0, 1, 0x7F, 0x80, 0xFF, good[index] &+ 1] as [UInt8] {
                var bytes = good
                bytes[index] = value
                let checksum = CyclicChecksum.crc32(bytes[16...])
                for place in 0..<4 {
                    bytes[12 + place] = UInt8(truncatingIfNeeded: checksum >> (place * 8))
                }
                do {
                    let image = try BinaryStoreFormat.decode(bytes, url: nil)
                    let (changes, _) = try image.contents(model, url: nil)
                    #expect(changes.inserts.count <= 2)
                    read += 1
                } catch let error as CocoaError {
                    #expect(error.code == .fileReadCorruptFile)
                    refused += 1
                }
            }
        }
        #expect(refused > 0 && read > 0)
    }
}
