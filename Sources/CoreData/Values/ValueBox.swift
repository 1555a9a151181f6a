/// A value of any type behind a class reference.
///
/// > Threading: Confined to the object that has it; defaults are shared and only read.
final class ValueBox {
    let value: Any
    init(_ value: Any) { self.value = value }
}
