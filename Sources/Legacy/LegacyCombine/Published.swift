/// A property of an `ObservableObject` that tells of its changes.
@propertyWrapper
public struct Published<Value> {
    private let subject: CurrentValueSubject<Value, Never>

    /// Makes a property with a value.
    public init(wrappedValue: Value) { subject = CurrentValueSubject(wrappedValue) }
    /// Makes a property with a value.
    public init(initialValue: Value) { self.init(wrappedValue: initialValue) }

    /// Properties of classes are read and set by their object.
    @available(*, unavailable, message: "@Published is for properties of classes only.")
    public var wrappedValue: Value {
        get { subject.value }
        nonmutating set { subject.value = newValue }
    }

    /// Sends the value now, and each value before the property has it.
    public var projectedValue: Publisher {
        get { Publisher(subject: subject) }
        set {}
    }

    /// The value of an object's property; setting it tells.
    public static subscript<Owner: AnyObject>(
        _enclosingInstance object: Owner,
        wrapped wrappedKeyPath: ReferenceWritableKeyPath<Owner, Value>,
        storage storageKeyPath: ReferenceWritableKeyPath<Owner, Published<Value>>
    ) -> Value {
        get { object[keyPath: storageKeyPath].subject.value }
        set {
            // Before the value is set: who listens to `objectWillChange` may still read the old
            // one.
            if let observable = object as? any ObservableObject {
                (observable.objectWillChange as? ObservableObjectPublisher)?.send()
            }
            object[keyPath: storageKeyPath].subject.value = newValue
        }
    }

    /// Sends the values of a property.
    public struct Publisher: LegacyCombine.Publisher {
        /// What it sends.
        public typealias Output = Value
        /// What it may fail with.
        public typealias Failure = Never
        fileprivate let subject: CurrentValueSubject<Value, Never>

        public func subscribe(_ receiver: Receiver<Value, Never>) -> AnyCancellable {
            subject.subscribe(receiver)
        }
    }
}

extension Publisher where Failure == Never {
    /// Sets a published property to each value, as long as the property lives.
    public func assign(to published: inout Published<Output>.Publisher) {
        let subject = published.subject
        let subscription = sink { [weak subject] in subject?.value = $0 }
        // Kept by the property: it ends with its subject.
        subject.keep(subscription)
    }
}
