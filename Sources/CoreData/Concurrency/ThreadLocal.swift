import Foundation

/// One object for each thread, made when the thread first asks for it and released with the thread.
///
/// > Threading: Any thread; each has its own.
struct ThreadLocal<Value: AnyObject>: Sendable {
    private let key: pthread_key_t
    private let make: @Sendable () -> Value

    /// Keys are few for a process and never given back: make one for each static variable only.
    init(_ make: @escaping @Sendable () -> Value) {
        var key = pthread_key_t()
        // The system calls this at the thread's end, with what the thread has, if it has anything.
        let code = pthread_key_create(&key) { pointer in
            pointer.map { Unmanaged<AnyObject>.fromOpaque($0).release() }
        }
        require(code == 0, "The process has no thread-specific keys left.")
        self.key = key
        self.make = make
    }

    /// The object of the thread that asks.
    var value: Value {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<Value>.fromOpaque(pointer).takeUnretainedValue()
        }
        let made = make()
        // Retained for the thread, at whose end the function of the key lets go.
        pthread_setspecific(key, Unmanaged.passRetained(made).toOpaque())
        return made
    }
}
