"""The rows of `mergectl bench --layer`, made once more from the same seed.

The generator is that of Sources/Tools/SeededRandom and Sources/Tools/MergeBench/Input/Item.swift. That
both give the same rows is not believed but checked: the sums over all values have to agree.
"""

import struct

MASK = (1 << 64) - 1


class SplitMix:
    """SplitMix64 of Steele, Lea and Flood (2014)."""

    def __init__(self, seed):
        self.state = seed & MASK

    def next(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & MASK
        mixed = self.state
        mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
        return mixed ^ (mixed >> 31)

    def below(self, bound):
        """A number below a bound, as `Int.random(in:using:)` of Swift draws it (Lemire 2019)."""
        product = self.next() * bound
        if product & MASK < bound:
            threshold = ((1 << 64) - bound) % bound
            while product & MASK < threshold:
                product = self.next() * bound
        return product >> 64


def signed(bits):
    """64 bits as a signed integer."""
    return bits - (1 << 64) if bits >> 63 else bits


def item(number, seed):
    """Number, category, score, code, ratio, amount, name, mail, text, date."""
    random = SplitMix(number * 7919 + seed)
    a, b, c, d = random.next(), random.next(), random.next(), random.next()
    return (
        number,
        a % 50,
        b % 1_000_000,
        signed(c) >> 8,
        (b % 1_000_003) / 1_000_003,
        number * 0.5,
        f"name-{a % 100_000}",
        f"user.{number}.mail@example.org",
        f"A somewhat longer text column, row {number}, with tail {d % 1_000_000_000}",
        700_000_000 + (d % 100_000_000) / 10,
    )


def items(count, seed):
    return [item(number, seed) for number in range(1, count + 1)]


def sample(count, seed):
    """Some 10,000 numbers of items, shuffled as `shuffled(using:)` of Swift does."""
    random = SplitMix(seed)
    numbers = list(range(1, count + 1))
    for place in range(count - 1):
        other = place + random.below(count - place)
        numbers[place], numbers[other] = numbers[other], numbers[place]
    return numbers[:10_000]


def families(count):
    """Names of parents, and the number, amount and text of the hundred children of each."""
    for parent in range(max(count // 100, 1)):
        numbers = range(parent * 100 + 1, parent * 100 + 101)
        children = [(n, n * 0.25, f"child number {n} x") for n in numbers]
        yield f"parent {parent}", children


def value_sum(rows):
    """The sum over all values, whatever their order: reals by their bits, texts by their length."""
    total = 0
    for row in rows:
        if len(row) == 10:
            # A column of type TIMESTAMP has numeric affinity, by which SQLite gives a date without a
            # fraction as an integer (sqlite.org/datatype3.html).
            row = (*row[:9], float(row[9]))
        for value in row:
            if isinstance(value, str):
                total += len(value.encode())
            elif isinstance(value, float):
                total += struct.unpack("<q", struct.pack("<d", value))[0]
            else:
                total += value
    return signed(total & MASK)
