/// The `#if`s around a place.
struct ConditionStack {
    private struct Block {
        /// The conditions of the branches before this one.
        var others: [String]
        var current: String?
    }
    private var blocks: [Block] = []

    /// Takes a directive.
    mutating func take(_ word: String, _ condition: String) {
        switch word {
        case "if": blocks.append(Block(others: [], current: condition))
        case "endif": _ = blocks.popLast()
        default:
            guard var block = blocks.popLast() else { return }
            // A later branch holds only where none before it does, so their conditions are kept.
            if let current = block.current { block.others.append(current) }
            block.current = word == "else" ? nil : condition
            blocks.append(block)
        }
    }

    /// A condition for each block: its branch's holds, and those before it don't.
    var all: [String] {
        blocks.map { block in
            let parts = block.others.map { "!(\($0))" } + (block.current.map { ["(\($0))"] } ?? [])
            return parts.joined(separator: " && ")
        }
    }

    /// How many blocks there are.
    var depth: Int { blocks.count }
    /// The conditions of blocks from some depth on.
    func conditions(from depth: Int) -> [String] { Array(all.dropFirst(depth)) }
}
