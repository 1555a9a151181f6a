import Foundation

/// The compiler of the toolchain that builds the package.
struct SwiftCompiler {
    /// What a run of the compiler said.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let executable: URL
    /// The folder for skeletons, stand-ins and what is remembered from the last run.
    let workFolder: URL

    /// Makes an importable module of some sources.
    ///
    /// - Throws: ``Failure`` with what the compiler said; what writing files throws.
    func makeModule(
        _ name: String,
        _ files: [(name: String, text: String)],
        options: [String]
    ) throws {
        let paths = try write(files, to: "Modules/\(name)")
        let output = workFolder.appendingPathComponent("Modules/\(name).swiftmodule").path
        _ = try run(
            ["-emit-module", "-parse-as-library", "-module-name", name, "-o", output, "-I"]
                + [modulesFolder.path] + options + paths
        )
    }

    /// The intermediate code of some sources, as text.
    ///
    /// - Throws: ``Failure`` with what the compiler said; what writing files throws.
    func intermediateCode(
        _ module: String,
        _ files: [(name: String, text: String)],
        options: [String]
    ) throws -> String {
        // As the compiler makes it first, before anything is inlined or dropped.
        // Of the whole module at once: else each file would have an output of its own.
        let paths = try write(files, to: "Skeleton")
        return try run(
            ["-emit-silgen", "-wmo", "-parse-as-library", "-module-name", module, "-I"]
                + [modulesFolder.path, "-o", "-"] + options + paths
        )
    }

    private var modulesFolder: URL { workFolder.appendingPathComponent("Modules") }

    private func write(_ files: [(name: String, text: String)], to folder: String) throws
        -> [String]
    {
        let url = workFolder.appendingPathComponent(folder, isDirectory: true)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        return try files.map { name, text in
            let file = url.appendingPathComponent(name)
            try text.write(to: file, atomically: true, encoding: .utf8)
            return file.path
        }
    }

    /// Output goes to files: pipes would have to be read while the compiler runs.
    private func run(_ arguments: [String]) throws -> String {
        let manager = FileManager.default
        let files = ["output", "errors"].map { workFolder.appendingPathComponent($0) }
        let handles = try files.map { file in
            _ = manager.createFile(atPath: file.path, contents: nil)
            return try FileHandle(forWritingTo: file)
        }
        let process = Process()
        process.executableURL = executable
        // Warnings would be about code that the client has not written.
        process.arguments = arguments + ["-suppress-warnings"]
        process.standardOutput = handles[0]
        process.standardError = handles[1]
        try process.run()
        process.waitUntilExit()
        for handle in handles { try handle.close() }
        guard process.terminationStatus == 0 else {
            throw Failure(description: try String(contentsOf: files[1], encoding: .utf8))
        }
        return try String(contentsOf: files[0], encoding: .utf8)
    }
}
