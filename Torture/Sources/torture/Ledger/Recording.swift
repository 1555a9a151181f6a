import CTorture
import Foundation

/// What a step does to the files below a folder, operation by operation.
struct Recording {
    let operations: [Operation]
    private let before: FolderContent

    /// Records a step.
    ///
    /// - Parameters:
    ///   - folder: Its files; those that are open already stay out.
    ///   - step: What is recorded. It notes what it has told somebody of (`recorder_note`).
    init(below folder: URL, _ step: () throws -> Void) throws {
        before = try FolderContent(of: folder)
        faults_watch(folder.path)
        recorder_start()
        defer { recorder_stop() }
        try step()
        recorder_stop()
        operations = (0..<recorder_count()).map { Operation(recorder_at($0), below: folder.path) }
    }

    /// The recording with other operations in its place: a defect that is planted.
    init(_ other: Recording, operations: [Operation]) {
        before = other.before
        self.operations = operations
    }

    /// What is left when all ends after so many operations.
    func cut(_ model: PowerCut.Model, after count: Int) -> PowerCut {
        var cut = PowerCut(model: model, from: before)
        for operation in operations.prefix(count) { cut.take(operation) }
        return cut
    }
}
