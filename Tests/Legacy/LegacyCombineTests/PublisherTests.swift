import Foundation
import LegacyCombine
import TestSupport
import Testing

/// Subjects, operators and subscriptions.
@Suite struct PublisherTests {
    private enum Problem: Error, Equatable { case first }

    @Test func aSubscriptionEndsWithItsObject() {
        let subject = PassthroughSubject<Int, Never>()
        var received: [Int] = []
        var subscription: AnyCancellable? = subject.sink { received.append($0) }
        subject.send(1)
        #expect(subscription != nil)
        subscription = nil
        subject.send(2)
        #expect(received == [1])
    }

    @Test func subscriptionsAreKeptInCollections() {
        let subject = PassthroughSubject<Void, Never>()
        var count = 0
        var set: Set<AnyCancellable> = [], array: [AnyCancellable] = []
        subject.sink { count += 1 }.store(in: &set)
        subject.sink { count += 1 }.store(in: &array)
        subject.send()
        set.forEach { $0.cancel() }
        subject.send()
        #expect(count == 3)
        array.removeAll()
        subject.send()
        #expect(count == 3)
    }

    @Test func nothingComesAfterTheEnd() {
        let subject = PassthroughSubject<Int, Problem>()
        var log: [String] = []
        let subscription = subject.sink { completion in
            if completion == .failure(.first) { log.append("end") }
        } receiveValue: {
            log.append("\($0)")
        }
        subject.send(1)
        subject.send(completion: .failure(.first))
        subject.send(2)
        subject.send(completion: .finished)
        #expect(log == ["1", "end"])
        let late = subject.sink { _ in
            log.append("late end")
        } receiveValue: { _ in
        }
        #expect(log == ["1", "end", "late end"])
        subscription.cancel()
        late.cancel()
    }

    @Test func aCurrentValueComesFirst() {
        let subject = CurrentValueSubject<Int, Never>(1)
        var received: [Int] = []
        let subscription = subject.sink { received.append($0) }
        subject.value = 2
        subject.send(3)
        #expect(received == [1, 2, 3])
        #expect(subject.value == 3)
        subscription.cancel()
    }

    @Test func aValueSentWhileAnotherIsReceivedComesAfterIt() {
        let subject = CurrentValueSubject<Int, Never>(1)
        var received: [Int] = []
        // Values take their time: while the first one and the third are on their way, another
        // thread sends the next ones.
        let subscription = subject.map { value in
            if value % 2 == 1 {
                let isSent = DispatchSemaphore(value: 0)
                DispatchQueue.global().async {
                    subject.send(value + 1)
                    if value == 5 { subject.send(completion: .finished) }
                    isSent.signal()
                }
                isSent.wait()
            }
            return value
        }
        .sink { _ in
            received.append(-1)
        } receiveValue: {
            received.append($0)
        }
        subject.send(3)
        #expect(subject.value == 4)
        subject.send(5)
        #expect(received == [1, 2, 3, 4, 5, 6, -1])
        subscription.cancel()
    }

    @Test func aReceiverThatSendsHasItsValueReceivedWithinTheCall() {
        let subject = CurrentValueSubject<Int, Never>(1)
        var received: [String] = []
        let subscription = subject.sink { value in
            received.append("begin \(value)")
            if value < 3 { subject.send(value + 1) }
            received.append("end \(value)")
        }
        #expect(received == ["begin 1", "begin 2", "begin 3", "end 3", "end 2", "end 1"])
        subscription.cancel()
    }

    @Test func operatorsWorkOnEachValue() {
        let subject = PassthroughSubject<Int, Never>()
        var received: [String] = []
        let subscription =
            subject
            .filter { $0 > 0 }
            .removeDuplicates()
            .scan(0, +)
            .dropFirst()
            .map(\.description)
            .compactMap { $0 == "6" ? nil : $0 }
            .prefix(2)
            .sink { received.append($0) }
        for number in [0, 1, 1, 2, 3, 4, 5] { subject.send(number) }
        #expect(received == ["3", "10"])
        subscription.cancel()
    }

    @Test func errorsAreMadeIntoValues() {
        var log: [String] = []
        func listen(_ publisher: AnyPublisher<Int, Never>) {
            _ = publisher.sink { _ in
                log.append("end")
            } receiveValue: {
                log.append("\($0)")
            }
        }
        let numbers = ["1", "x", "2"].publisher.tryMap { text -> Int in
            guard let number = Int(text) else { throw Problem.first }
            return number
        }
        listen(numbers.replaceError(with: -1).eraseToAnyPublisher())
        listen(numbers.catch { _ in Just(-2) })
        listen(Fail<Int, Problem>(error: .first).replaceError(with: 0))
        listen(Empty<Int, Never>().eraseToAnyPublisher())
        #expect(log == ["1", "-1", "end", "1", "-2", "end", "0", "end", "end"])
    }

    @Test func publishersAreJoined() {
        let left = PassthroughSubject<Int, Never>(), right = PassthroughSubject<Int, Never>()
        var merged: [Int] = [], pairs: [String] = [], flat: [Int] = [], ends = 0
        let subscriptions = [
            left.merge(with: right).sink { _ in
                ends += 1
            } receiveValue: {
                merged.append($0)
            },
            left.combineLatest(right).sink { pairs.append("\($0)-\($1)") },
            left.flatMap { number in right.map { number * $0 } }.sink { flat.append($0) },
        ]
        left.send(1)
        right.send(10)
        left.send(2)
        right.send(20)
        left.send(completion: .finished)
        #expect(ends == 0)
        right.send(completion: .finished)
        #expect(ends == 1)
        #expect(merged == [1, 10, 2, 20])
        #expect(pairs == ["1-10", "2-10", "2-20"])
        #expect(flat == [10, 20, 40])
        subscriptions.forEach { $0.cancel() }
    }

    @Test func theLatestPublisherIsSwitchedToUntilAllHaveEnded() {
        let subject = PassthroughSubject<AnyPublisher<Int, Never>, Never>()
        var received: [Int] = [], ends = 0
        let subscription = subject.switchToLatest().sink { _ in
            ends += 1
        } receiveValue: {
            received.append($0)
        }
        for number in 1...3 { subject.send(Just(number).eraseToAnyPublisher()) }
        let left = PassthroughSubject<Int, Never>(), right = PassthroughSubject<Int, Never>()
        subject.send(left.eraseToAnyPublisher())
        left.send(4)
        subject.send(right.eraseToAnyPublisher())
        left.send(-1)
        left.send(completion: .finished)
        right.send(5)
        subject.send(completion: .finished)
        right.send(6)
        #expect(ends == 0)
        right.send(completion: .finished)
        #expect(ends == 1)
        #expect(received == [1, 2, 3, 4, 5, 6])
        subscription.cancel()
    }

    @Test func theEndComesWithThePublisherIfTheLatestHasEnded() {
        var log: [String] = []
        let subscription = [1, 2, 3].publisher.map { Just($0) }.switchToLatest().sink { _ in
            log.append("end")
        } receiveValue: {
            log.append("\($0)")
        }
        #expect(log == ["1", "2", "3", "end"])
        subscription.cancel()
    }

    @Test func anErrorOfTheLatestPublisherOnlyIsTheEnd() {
        typealias Source = PassthroughSubject<Int, Problem>
        let subject = PassthroughSubject<Source, Problem>()
        var log: [String] = []
        let subscription = subject.switchToLatest().sink { completion in
            log.append(completion == .failure(.first) ? "failed" : "finished")
        } receiveValue: {
            log.append("\($0)")
        }
        let left = Source(), right = Source()
        subject.send(left)
        subject.send(right)
        left.send(completion: .failure(.first))
        right.send(1)
        right.send(completion: .failure(.first))
        #expect(log == ["1", "failed"])
        subscription.cancel()
    }

    /// Remembers the subscriptions that it has given.
    private final class Source: Publisher {
        struct Given {
            weak var subscription: AnyCancellable?
        }
        let subject = PassthroughSubject<Int, Never>()
        var given: [Given] = []
        var openCount: Int { given.count { $0.subscription != nil } }

        func subscribe(_ receiver: Receiver<Int, Never>) -> AnyCancellable {
            let subscription = subject.subscribe(receiver)
            given.append(Given(subscription: subscription))
            return subscription
        }
    }

    @Test func publishersThatAreOverAreNotKept() {
        let subject = PassthroughSubject<Source, Never>()
        let latest = subject.switchToLatest().sink { _ in }
        let sources = [Source(), Source(), Source()]
        for source in sources { subject.send(source) }
        #expect(sources.map(\.openCount) == [0, 0, 1])
        let all = subject.flatMap { $0 }.sink { _ in }
        for source in sources { subject.send(source) }
        #expect(sources.map(\.openCount) == [1, 1, 2])
        sources[2].subject.send(completion: .finished)
        #expect(sources.map(\.openCount) == [1, 1, 0])
        latest.cancel()
        all.cancel()
        #expect(sources.map(\.openCount) == [0, 0, 0])
    }

    /// Closures of the client are free to send.
    @Test func closuresOfOperatorsMaySend() {
        let subject = PassthroughSubject<Int, Never>()
        var sums: [Int] = [], changes: [Int] = []
        let subscriptions = [
            subject.scan(0) { sum, value in
                if value == 1 { subject.send(2) }
                return sum + value
            }
            .sink { sums.append($0) },
            subject.removeDuplicates { last, next in
                if last == 2, next == 3 { subject.send(4) }
                return last == next
            }
            .sink { changes.append($0) },
        ]
        subject.send(1)
        #expect(sums == [2, 1])
        subject.send(3)
        #expect(changes.suffix(2) == [4, 3])
        subscriptions.forEach { $0.cancel() }
    }

    @Test func aPromiseThatSeveralThreadsKeepIsKeptOnce() {
        for _ in 0..<300 {
            var promises: [Future<Int, Never>.Promise] = []
            let future = Future<Int, Never> { promises.append($0) }
            var early: [Int] = [], late: [Int] = []
            let subscription = future.sink { early.append($0) }
            nonisolated(unsafe) let promise = promises[0]
            DispatchQueue.concurrentPerform(iterations: 4) { promise(.success($0)) }
            let other = future.sink { late.append($0) }
            #expect(early.count == 1 && early == late)
            subscription.cancel()
            other.cancel()
        }
    }

    @Test func aFutureSendsWhatIsPromised() {
        var received: [Int] = []
        var promise: Future<Int, Problem>.Promise?
        let future = Future<Int, Problem> { promise = $0 }
        let early = future.sink { _ in
            received.append(-1)
        } receiveValue: {
            received.append($0)
        }
        promise?(.success(7))
        promise?(.success(8))
        let late = future.sink { _ in
        } receiveValue: {
            received.append($0)
        }
        #expect(received == [7, -1, 7])
        early.cancel()
        late.cancel()
    }

    @Test func valuesComeOnAQueue() async throws {
        let subject = PassthroughSubject<Int, Never>()
        let queue = DispatchQueue(label: "PublisherTests")
        try await confirmation { received in
            try await completion { completion in
                let subscription = subject.receive(on: queue).first().sink { _ in
                    completion(())
                } receiveValue: { _ in
                    dispatchPrecondition(condition: .onQueue(queue))
                    received()
                }
                subject.send(1)
                queue.async { subscription.cancel() }
            }
        }
    }

    @Test func valuesAreASequence() async {
        let subject = PassthroughSubject<Int, Never>()
        let values = subject.values
        for number in 1...3 { subject.send(number) }
        subject.send(completion: .finished)
        var received: [Int] = []
        for await value in values { received.append(value) }
        #expect(received == [1, 2, 3])
    }
}
