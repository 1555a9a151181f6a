import Foundation

/// What gives containers `defaultDirectoryURL` as a property.
///
/// Apple's framework has it twice: as a function of the class, which subclasses override, and as a
/// property that calls the function. A class itself can't declare both.
public protocol ContainerDirectory {}

extension NSPersistentContainer: ContainerDirectory {}

extension ContainerDirectory where Self: NSPersistentContainer {
    /// The directory of stores whose description names no other; `defaultDirectoryURL()`.
    public static var defaultDirectoryURL: URL { self.defaultDirectoryURL() }
}
