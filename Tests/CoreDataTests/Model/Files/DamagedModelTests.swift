import Markup
import TestSupport
import Testing

@testable import CoreData

/// Whatever stands in a model file, reading it gives a model that compiles or an error.
@Suite struct DamagedModelTests {
    /// Too many open files are no want of permission, which nobody could grant.
    @Test func aFileThatCantBeReadNowIsToldApartFromOneThatMayNot() async {
        await #expect(processExitsWith: .success) {
            try withTemporaryFolder { folder in
                let url = folder.appendingPathComponent("contents")
                try Data("<model/>".utf8).write(to: url)
                var limit = rlimit()
                let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
                guard getrlimit(resource, &limit) == 0 else { fatalError("There is no limit.") }
                let free = dup(1)
                close(free)
                var low = rlimit(rlim_cur: rlim_t(free), rlim_max: limit.rlim_max)
                setrlimit(resource, &low)
                let result = Result { try FileReading.bytes(of: url) }
                setrlimit(resource, &limit)
                guard case .failure(let error as CocoaError) = result,
                    error.code == .fileReadUnknown
                else { fatalError("\(result)") }
                _ = try FileReading.bytes(of: url)
            }
        }
    }

    private func read(_ bytes: [UInt8]) -> Bool {
        let model = NSManagedObjectModel()
        do {
            let root = try MarkupReader.read(bytes)
            try ModelFileReader(url: URL(fileURLWithPath: "/contents")).read(root, into: model)
        } catch {
            return false
        }
        _ = model.layout
        _ = model.copy()
        _ = model.versionChecksum
        return true
    }

    @Test func damagedModelsGiveAnErrorOrAModel() throws {
        let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent(
                "../../../../Examples/World/World.xcdatamodeld/World.xcdatamodel/contents"
            )
        let whole = [UInt8](try Data(contentsOf: url.standardizedFileURL))
        #expect(read(whole))
        var state: UInt64 = 42
        func random(_ bound: Int) -> Int {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int((state >> 33) % UInt64(bound))
        }
        var loaded = 0
        for _ in 0..<400 {
            var damaged = whole
            switch random(4) {
            case 0: damaged[random(whole.count)] = UInt8(random(256))
            case 1: damaged.removeSubrange(random(whole.count)..<whole.count)
            case 2:
                let start = random(whole.count)
                damaged.removeSubrange(start..<min(whole.count, start + random(60)))
            default:
                // A stretch of the file again, elsewhere: mostly well-formed, and often dangling.
                let lines = whole.split(separator: 0x0A)
                var shuffled = lines
                shuffled.swapAt(random(lines.count), random(lines.count))
                damaged = Array(shuffled.joined(separator: [0x0A]))
            }
            loaded += read(damaged) ? 1 : 0
        }
        #expect(loaded > 0 && loaded < 400)
    }
}
