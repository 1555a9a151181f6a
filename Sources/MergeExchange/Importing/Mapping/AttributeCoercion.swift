import CoreData

/// Fits a record's values to an attribute's type, and writes them for files.
struct AttributeCoercion: Sendable {
    /// Why a value does not fit.
    struct Failure: Error {
        let reason: String
        /// Whether the value is a list or an object.
        var isNested = false
    }

    let type: NSAttributeType
    private let isOptional: Bool
    private let form: AttributeForm
    let dates: DateParser

    /// A coercion; nil for types that no file can hold.
    init?(type: NSAttributeType, isOptional: Bool, dateFormat: String?) {
        guard let form = AttributeForm.all[type] else { return nil }
        self.type = type
        self.isOptional = isOptional
        self.form = form
        dates = DateParser(format: dateFormat)
    }

    /// What becomes of a value.
    enum Outcome {
        /// The attribute gets this; nil is a value.
        case value(Any?)
        /// The attribute stays as it is.
        case unchanged
    }

    /// The value as the attribute takes it.
    func outcome(_ value: ImportValue) throws(Failure) -> Outcome {
        if case .null = value {
            if isOptional { return .value(nil) }
            // An attribute that must have a value keeps its default; validation has the last word.
            // A text is empty instead, since a file with columns can't tell an empty text from
            // none.
            return type == .stringAttributeType ? .value("") : .unchanged
        }
        return .value(try object(value))
    }

    /// The value in a type that the attribute takes; not for `null`.
    ///
    /// Plain Swift types where there are such: contexts take them in without a look at classes.
    func object(_ value: ImportValue) throws(Failure) -> any Hashable {
        try form.read(value, dates)
    }

    /// A value of the attribute, so that an import makes the same value of it.
    ///
    /// What has no text is `null`: neither JSON nor an import knows doubles that are not finite.
    func exported(_ value: Any) -> FieldValue { form.write(value, dates) ?? .null }
}
