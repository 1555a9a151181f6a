import CoreData
import Foundation
import MergeStack
import StackSupport
import TestSupport
import Testing
import Threads

@testable import MergeExchange

/// Exports of many rows, while others work, and the place of the file.
@Suite struct ExportPagingTests {
    @Test(arguments: [StoreKind.sqlite, .inMemory])
    func memoryHoldsAPageHoweverManyRowsThereAre(_ kind: StoreKind) async throws {
        try await TopologyFixture.run(.notificationMerge, kind) { fixture async throws in
            try await fixture.stack.performBackground { context in
                for number in 0..<1050 { ItemStack.insert("n", number, into: context) }
            }
            var options = ExportOptions()
            options.pageSize = 100
            let pages = Log<ExportProgress>()
            options.onProgress = { pages.append($0) }
            let url = fixture.folder.url.appendingPathComponent("items.csv")
            let progress = Progress(totalUnitCount: 0)
            let result = try Exporter(stack: fixture.stack, options: options).exportFileAndWait(
                to: url,
                entityName: "Item",
                progress: progress
            )
            #expect(result.rowCount == 1050)
            #expect(pages.all.count == 11)
            #expect(pages.all.allSatisfy { $0.registeredCount <= 101 && $0.totalCount == 1050 })
            #expect(progress.totalUnitCount == 1050 && progress.completedUnitCount == 1050)
            let numbers = try String(contentsOf: url, encoding: .utf8).split(separator: "\r\n")
                .dropFirst().compactMap { Int($0.dropFirst(2)) }
            #expect(numbers == Array(0..<1050))
        }
    }

    /// Others delete rows that are written already, so that the places of all others change.
    @Test(arguments: [StoreKind.sqlite, .inMemory])
    func noRowIsLostWhenOthersDeleteRowsBeforeIt(_ kind: StoreKind) async throws {
        try await TopologyFixture.run(.notificationMerge, kind) { fixture async throws in
            try await fixture.stack.performBackground { context in
                for number in 0..<300 { ItemStack.insert("n", number, into: context) }
            }
            let stack = fixture.stack
            var options = ExportOptions()
            options.pageSize = 20
            options.sortDescriptors = [NSSortDescriptor(key: "number", ascending: true)]
            options.onProgress = { progress in
                let isAbove = progress.rowCount - 8
                let gone = NSPredicate(format: "number < %d AND number > 1", isAbove)
                do {
                    try stack.performBackgroundAndWait { context in
                        try context.deleteItems(where: gone)
                        _ = ItemStack.insert("n", -progress.rowCount, into: context)
                    }
                } catch {
                    Issue.record(error)
                }
            }
            let url = fixture.folder.url.appendingPathComponent("items.csv")
            let result = try Exporter(stack: stack, options: options).exportFileAndWait(
                to: url,
                entityName: "Item"
            )
            let numbers = try String(contentsOf: url, encoding: .utf8).split(separator: "\r\n")
                .dropFirst().compactMap { Int($0.dropFirst(2)) }
            #expect(numbers == Array(0..<300))
            #expect(result.rowCount == 300)
        }
    }

    @Test func aLostPlaceIsTold() async throws {
        try await TopologyFixture.run(.notificationMerge) { fixture async throws in
            try await fixture.stack.performBackground { context in
                for number in 0..<50 { ItemStack.insert("n", number, into: context) }
            }
            let stack = fixture.stack
            var options = ExportOptions()
            options.pageSize = 10
            options.onProgress = { progress in
                let done = NSPredicate(format: "number < %d", progress.rowCount)
                do {
                    try stack.performBackgroundAndWait { context in
                        try context.deleteItems(where: done)
                    }
                } catch {
                    Issue.record(error)
                }
            }
            let exporter = Exporter(stack: stack, options: options)
            let url = fixture.folder.url.appendingPathComponent("items.csv")
            let error = #expect(throws: MergeStackError.self) {
                try exporter.exportFileAndWait(to: url, entityName: "Item")
            }
            #expect(error?.code == .storeChanged)
            #expect(!FileManager.default.fileExists(atPath: url.path))
        }
    }

    // MARK: The file's place

    @Test func anExportThatFailsOrIsCancelledLeavesTheFileOfBefore() async throws {
        try await TopologyFixture.run(.notificationMerge) { fixture async throws in
            try await fixture.insert("a", "b", "c")
            let url = fixture.folder.url.appendingPathComponent("items.csv")
            try Data("before".utf8).write(to: url)
            let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path)
            let progress = Progress(totalUnitCount: 0)
            var options = ExportOptions()
            options.pageSize = 1
            options.onProgress = { [box = UncheckedProgress(progress: progress)] in
                if $0.rowCount == 2 { box.progress?.cancel() }
            }
            let exporter = Exporter(stack: fixture.stack, options: options)
            let error = #expect(throws: CocoaError.self) {
                try exporter.exportFileAndWait(to: url, entityName: "Item", progress: progress)
            }
            #expect(error?.code == .userCancelled)
            let unknown = #expect(throws: MergeStackError.self) {
                try exporter.exportFileAndWait(to: url, entityName: "No")
            }
            #expect(unknown?.code == .invalidMapping)
            #expect(try Data(contentsOf: url) == Data("before".utf8))
            #expect(
                try Set(FileManager.default.contentsOfDirectory(atPath: fixture.folder.url.path))
                    == Set(files)
            )
            try exporter.exportFileAndWait(to: url, entityName: "Item")
            #expect(try String(contentsOf: url, encoding: .utf8).hasPrefix("name,number\r\n"))
        }
    }
}
