import Foundation
import ModelClasses

// What the plugin ManagedClasses runs: `managed-classes MODEL OUTPUT`, one file for a model.
let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    FileHandle.standardError.write(Data("usage: managed-classes MODEL OUTPUT\n".utf8))
    exit(2)
}
let model = URL(fileURLWithPath: arguments[1])
let output = URL(fileURLWithPath: arguments[2])
do {
    let generator = ClassGenerator(try ModelSource(contentsOf: model))
    let data = Data(generator.text(named: output.lastPathComponent).utf8)
    // A file that is written anew is compiled again.
    if FileManager.default.contents(atPath: output.path) != data {
        try data.write(to: output, options: .atomic)
    }
} catch {
    FileHandle.standardError.write(Data("error: \(error.localizedDescription)\n".utf8))
    exit(1)
}
