/// A first-in, first-out queue that adds and removes in constant time on average.
package struct Deque<Element>: Sequence {
    private var elements: [Element?] = []
    private var head = 0

    package init() {}

    package var isEmpty: Bool { head == elements.count }
    package var first: Element? { isEmpty ? nil : elements[head] }

    package var last: Element? { isEmpty ? nil : elements[elements.count - 1] }

    package mutating func append(_ element: Element) { elements.append(element) }

    package mutating func popFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = elements[head]
        // Emptied now: what it holds must not live on until the array is compacted.
        elements[head] = nil
        head += 1
        if head == elements.count {
            // Not `removeAll(keepingCapacity:)`: of a type that is not known here, it asks the runtime for
            // several others, which took a tenth of the main thread's part in small merges.
            elements = []
            head = 0
        } else if head >= 32, head * 2 >= elements.count {
            // Only when at least half is free, so that moving the rest costs each element a
            // constant share.
            elements.removeFirst(head)
            head = 0
        }
        return element
    }

    package func makeIterator() -> some IteratorProtocol<Element> {
        elements[head...].lazy.compactMap { $0 }.makeIterator()
    }
}
