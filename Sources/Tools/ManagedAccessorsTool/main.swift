import AccessorGenerator
import Foundation

// What the build plugin runs; it prints errors as compilers do and fails the build.
do {
    let options = try GeneratorOptions(arguments: Array(CommandLine.arguments.dropFirst()))
    try AccessorGenerator(options).run()
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
