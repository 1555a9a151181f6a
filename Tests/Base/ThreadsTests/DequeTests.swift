import Testing
import Threads

@Suite struct DequeTests {
    @Test func elementsComeOutInOrder() {
        var deque = Deque<Int>()
        var out: [Int] = []
        for round in 0..<100 {
            for offset in 0..<3 { deque.append(round * 3 + offset) }
            #expect(deque.first == out.count)
            for _ in 0..<2 { deque.popFirst().map { out.append($0) } }
        }
        #expect(Array(deque) == Array(200..<300))
        while let next = deque.popFirst() { out.append(next) }
        #expect(out == Array(0..<300))
        #expect(deque.isEmpty && deque.first == nil)
    }
}
