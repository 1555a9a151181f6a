import Foundation

/// Prints a line at once, whoever reads it.
func say(_ line: String) {
    print(line)
    fflush(nil)
}

/// What the command was given: names with two hyphens, most of them with a value.
struct Arguments {
    private let list = CommandLine.arguments

    func value(_ name: String) -> String? {
        guard let index = list.firstIndex(of: "--" + name), index + 1 < list.count else {
            return nil
        }
        return list[index + 1]
    }

    func has(_ name: String) -> Bool { list.contains("--" + name) }
}
