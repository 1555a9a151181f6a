import Foundation
import ModelClasses

/// `mergectl generate`: writes the classes that a model asks for.
enum GenerateCommand: Command {
    static let syntax = CommandSyntax(
        name: "generate",
        summary: "Write the classes of a model's entities, as Xcode does.",
        operands: "MODEL",
        operandCount: 1...1,
        options: [
            .value("output", "DIR", "Where to write.", isRequired: true),
            .choice(
                "access",
                ClassGenerator.Access.self,
                "Who sees the classes; public if not given."
            ),
            .flag("all", "Also for entities whose Codegen is Manual/None."),
        ],
        discussion: [
            "Codegen \"Class Definition\" gives Person+CoreDataClass.swift and",
            "Person+CoreDataProperties.swift, \"Category/Extension\" the second only.",
            "Files that are there already with the same text are not touched.",
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        let access = try arguments.choice("access", default: ClassGenerator.Access.public)
        let folder = URL(fileURLWithPath: try arguments.required("output"))
        let model = try ModelSource(contentsOf: URL(fileURLWithPath: arguments.operands[0]))
        let generator = ClassGenerator(
            model,
            access: access,
            includesManual: arguments.has("all")
        )
        let files = generator.files()
        guard !files.isEmpty else {
            Terminal.print(
                arguments.has("all")
                    ? "No entity has a class of its own: name one in the model's editor."
                    : "No entity asks for a class; --all writes those of all that have one."
            )
            return
        }
        for file in files {
            let url = folder.appendingPathComponent(file.name)
            if (try? Data(contentsOf: url)) == Data(file.text.utf8) {
                Terminal.print("\(url.relativePath) (unchanged)")
                continue
            }
            let elsewhere = "name another folder with --output"
            try TargetPlace.check(url.relativePath, elsewhere: elsewhere, makesFolder: true)
            do {
                try FileManager.default.createDirectory(
                    at: folder,
                    withIntermediateDirectories: true
                )
                try Data(file.text.utf8).write(to: url, options: .atomic)
            } catch {
                throw TargetPlace.failure(error, url.relativePath, elsewhere: elsewhere)
            }
            Terminal.print(url.relativePath)
        }
    }
}
