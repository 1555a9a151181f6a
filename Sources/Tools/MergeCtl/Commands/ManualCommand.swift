/// `mergectl manual`: the manual page.
enum ManualCommand: Command {
    static let syntax = CommandSyntax(
        name: "manual",
        summary: "Print the manual page, for man.",
        operands: "",
        operandCount: 0...0,
        discussion: [
            "\"make install\" puts it where man looks for it. To read it from here:",
            "",
            "  mergectl manual | man -l -",
        ]
    )

    static func run(_ arguments: ParsedArguments) throws {
        Terminal.write(ManualPage(tool: Tool.description).source)
    }
}
