"""Lists of mistakes, and how they get into the sources.

A list has records like this one:

    = 101 A save that is made within a save is let in.
    Sources/CoreData/Context/NSManagedObjectContext+Saving.swift
    guard {{!isSaving ==> true}} else { throw CocoaError.recursiveSave() }

The lines below the path are lines of that file, which must be in it once, one after the other;
blanks at their ends, empty lines and lines of comments don't count. In {{ }} is an expression with
what takes its place, in [[ ]] are statements, and what takes their place, which may be nothing.
A line `argued: ...` says why no test can see the mistake. A line `& path` begins another place of
the same mistake, with lines of its own.

All mistakes of all lists are built at once. Which of them a program makes, the variable
PLANTED_DEFECT tells, so that one build serves all. Where PLANTED_LOG names a file of LOG_LENGTH
bytes, a program that comes by a mistake's place sets the byte of its number there.
"""

import dataclasses
import pathlib
import re

MARK = re.compile(r"\{\{(.*?)\s==>(.*?)\}\}|\[\[(.*?)\s==>(.*?)\]\]", re.DOTALL)

# One more than the highest number that a mistake may have.
LOG_LENGTH = 1_000

SWITCH = f"""\
import Foundation

/// Which of the planted mistakes this process makes, and by which places it comes.
enum Planted {{
    private static let number = Int(ProcessInfo.processInfo.environment["PLANTED_DEFECT"] ?? "")

    /// Shared with the file, so that nothing is lost with a process that is stopped.
    private nonisolated(unsafe) static let log: UnsafeMutablePointer<UInt8>? = {{
        guard let path = ProcessInfo.processInfo.environment["PLANTED_LOG"] else {{ return nil }}
        let file = open(path, O_RDWR)
        let place = mmap(nil, {LOG_LENGTH}, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        guard file >= 0, let place, place != MAP_FAILED else {{ fatalError("PLANTED_LOG: \\(path)") }}
        close(file)
        return place.assumingMemoryBound(to: UInt8.self)
    }}()

    static func makes(_ candidate: Int) -> Bool {{
        log?[candidate] = 1
        return candidate == number
    }}
}}
"""


class Misfit(Exception):
    """A record that can't be read, or whose lines are not in the sources any more."""


@dataclasses.dataclass
class Mistake:
    number: int
    room: str
    sentence: str
    path: str
    lines: list
    argument: str = ""
    # The same mistake in its other places.
    others: list = dataclasses.field(default_factory=list)

    @property
    def places(self):
        return [self] + self.others

    @property
    def code(self):
        return "\n".join(self.lines)


def read(folder):
    """All mistakes of the lists in a folder, by number."""
    found = []
    for file in sorted(folder.glob("*.txt")):
        for block in re.split(r"\n\s*\n", file.read_text()):
            lines = [line.strip() for line in block.split("\n")]
            lines = [line for line in lines if line and not line.startswith("#")]
            if lines:
                found.append(record(lines, file))
    found.sort(key=lambda mistake: mistake.number)
    for first, second in zip(found, found[1:]):
        if first.number == second.number:
            raise Misfit(f"{first.number} is there twice")
    return found


def record(lines, file):
    head = re.fullmatch(r"= (\d+) (.+)", lines[0])
    if not head or len(lines) < 3:
        raise Misfit(f"{file.name}: {lines[0]}: not a record of number, sentence, path and lines")
    if int(head[1]) >= LOG_LENGTH:
        raise Misfit(f"{head[1]}: numbers are below {LOG_LENGTH}")
    argument = " ".join(
        line[len("argued:"):].strip() for line in lines if line.startswith("argued:"))
    places = [[lines[1]]]
    for line in lines[2:]:
        if line.startswith("& "):
            places.append([line[2:]])
        elif not line.startswith("argued:"):
            places[-1].append(line)
    mistakes = [
        Mistake(int(head[1]), file.stem.lower(), head[2], path, code, argument)
        for path, *code in places
    ]
    for mistake in mistakes:
        if len(MARK.findall(mistake.code)) != 1:
            raise Misfit(f"{mistake.number}: one {{{{ ==> }}}} or [[ ==> ]] is needed in a place")
    mistakes[0].others = mistakes[1:]
    return mistakes[0]


@dataclasses.dataclass
class Change:
    """What takes the place of a part of a file, for one mistake."""
    start: int
    end: int
    number: int
    new: str
    is_statement: bool


def locate(mistake, source):
    """The change that a mistake makes in the text of its file."""
    mark = MARK.search(mistake.code)
    is_statement = mark[1] is None
    old, new = (mark[3], mark[4]) if is_statement else (mark[1], mark[2])
    original = mistake.code[:mark.start()] + old + mistake.code[mark.end():]
    wanted = [line.strip() for line in original.split("\n")]
    places = []
    lines = [
        (match.start(), match[0].strip()) for match in re.finditer(r"[^\n]+", source)
        if match[0].strip() and not match[0].strip().startswith("//")
    ]
    texts = [text for _, text in lines]
    for index in range(len(texts) - len(wanted) + 1):
        if texts[index:index + len(wanted)] == wanted:
            places.append(index)
    if len(places) != 1:
        raise Misfit(
            f"{mistake.number}: its lines are in {mistake.path} {len(places)} times, not once:\n"
            + "\n".join("    " + line for line in wanted)
        )

    def offset(position):
        """Where a position of `original` is in the source."""
        row = original.count("\n", 0, position)
        column = position - (original.rfind("\n", 0, position) + 1)
        start, text = lines[places[0] + row]
        blank = source.index(text, start)
        return blank + column

    start = offset(mark.start())
    end = offset(mark.start() + len(old))
    return Change(start, end, mistake.number, new.strip(), is_statement)


def replaced(old, changes):
    """A part of a source with the mistakes that are made of it."""
    if changes[0].is_statement:
        text = f"{{ {old} }}"
        for change in changes:
            text = f"{{ if Planted.makes({change.number}) {{ {change.new} }} else {text} }}"
        return text[2:-2]
    text = f"({old})"
    for change in changes:
        text = f"(Planted.makes({change.number}) ? ({change.new}) : {text})"
    return text


def plant(mistakes, root):
    """The files below a folder as they are with all mistakes, by their paths.

    Raises Misfit with all those that have no place in them.
    """
    problems, files, by_path = [], {}, {}
    for place in [place for mistake in mistakes for place in mistake.places]:
        by_path.setdefault(place.path, []).append(place)
    for path, group in by_path.items():
        if not (root / path).exists():
            problems += [f"{mistake.number}: there is no {path}" for mistake in group]
            continue
        source = (root / path).read_text()
        spans = {}
        for mistake in group:
            try:
                change = locate(mistake, source)
                spans.setdefault((change.start, change.end), []).append(change)
            except Misfit as misfit:
                problems.append(str(misfit))
        end = len(source) + 1
        for span in sorted(spans, reverse=True):
            if span[1] > end:
                problems.append(f"{spans[span][0].number}: it overlaps another one")
                continue
            end = span[0]
            new = replaced(source[span[0]:span[1]], spans[span])
            source = source[:span[0]] + new + source[span[1]:]
        files[path] = source
        files[str(pathlib.Path(*pathlib.Path(path).parts[:2]) / "Planted.swift")] = SWITCH
    if problems:
        raise Misfit("\n".join(problems))
    return files
