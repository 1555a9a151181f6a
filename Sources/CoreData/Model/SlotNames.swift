/// The slots of an entity's properties by name.
///
/// Key-value access looks a name up for each value, and hashing the name takes longer than reading the
/// value. A text of up to 15 bytes of UTF-8 lies within the two words of its `String`, so that equal
/// words mean equal texts: such a name is found by comparing words, and hashing is left for the others.
///
/// > Threading: Immutable; any thread.
struct SlotNames {
    /// A name's two words, and its slot; in an empty place all are 0, which is no text's second word.
    private struct Place {
        var words: (UInt64, UInt64) = (0, 0)
        var slot = 0
    }

    private let slots: [String: Int]
    /// A power of two of them, at most half of them taken: whoever misses a name meets an empty one soon.
    private let places: [Place]
    private let mask: Int

    /// The slots of these properties, whose names are different.
    init(_ properties: [PropertySlot]) {
        slots = Dictionary(uniqueKeysWithValues: properties.map { ($0.name, $0.index) })
        var count = 4
        while count < 2 * properties.count { count *= 2 }
        mask = count - 1
        var places = Array(repeating: Place(), count: count)
        for (name, slot) in slots {
            // The words of a longer text say where it lies, and `slots` keeps it there.
            let words = Self.words(name)
            var place = Self.place(words) & mask
            while places[place].words.1 != 0 { place = (place + 1) & mask }
            places[place] = Place(words: words, slot: slot)
        }
        self.places = places
    }

    /// nil if no property has the name.
    @inline(__always) subscript(name: String) -> Int? {
        let words = Self.words(name)
        var place = Self.place(words) & mask
        while places[place].words.1 != 0 {
            if places[place].words == words { return places[place].slot }
            place = (place + 1) & mask
        }
        // A long name, or the same text in another form.
        return slots[name]
    }

    @inline(__always) private static func words(_ text: String) -> (UInt64, UInt64) {
        unsafeBitCast(text, to: (UInt64, UInt64).self)
    }

    /// Where to begin to look, once it is cut to the number of places.
    @inline(__always) private static func place(_ words: (UInt64, UInt64)) -> Int {
        // The golden ratio's bits, by which a product's upper half depends on all bits of both words.
        let mixed = (words.0 ^ words.1 &* 0x9E37_79B9_7F4A_7C15) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 32)
    }
}
