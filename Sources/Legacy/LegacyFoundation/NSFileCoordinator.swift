import Foundation

/// Where a function of old puts its error.
public typealias NSErrorPointer = UnsafeMutablePointer<NSError?>?

/// Runs accessors at once: without file presenters there is nobody to coordinate with.
///
/// > Threading: Any thread. Other processes are not kept away.
open class NSFileCoordinator: NSObject {
    /// How a file is read; all have the same effect here.
    public struct ReadingOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Makes options of their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Presenters need not save first.
        public static let withoutChanges = ReadingOptions(rawValue: 1 << 0)
        /// Symbolic links are followed.
        public static let resolvesSymbolicLink = ReadingOptions(rawValue: 1 << 1)
        /// Only metadata are read.
        public static let immediatelyAvailableMetadataOnly = ReadingOptions(rawValue: 1 << 2)
        /// The file is read to be uploaded.
        public static let forUploading = ReadingOptions(rawValue: 1 << 3)
    }

    /// How a file is written; all have the same effect here.
    public struct WritingOptions: OptionSet, Sendable {
        /// The bits.
        public let rawValue: UInt
        /// Makes options of their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// The file is deleted.
        public static let forDeleting = WritingOptions(rawValue: 1 << 0)
        /// The file is moved.
        public static let forMoving = WritingOptions(rawValue: 1 << 1)
        /// Other changes are merged.
        public static let forMerging = WritingOptions(rawValue: 1 << 2)
        /// The file is replaced.
        public static let forReplacing = WritingOptions(rawValue: 1 << 3)
        /// Only metadata are written.
        public static let contentIndependentMetadataOnly = WritingOptions(rawValue: 1 << 4)
    }

    /// Makes a coordinator.
    ///
    /// - Parameter filePresenter: nil; there are no presenters here.
    public init(filePresenter: Never? = nil) { super.init() }

    /// Runs a block that reads a file; `outError` stays as it is.
    open func coordinate(
        readingItemAt url: URL,
        options: ReadingOptions = [],
        error outError: NSErrorPointer,
        byAccessor reader: (URL) -> Void
    ) { reader(url) }

    /// Runs a block that writes a file; `outError` stays as it is.
    open func coordinate(
        writingItemAt url: URL,
        options: WritingOptions = [],
        error outError: NSErrorPointer,
        byAccessor writer: (URL) -> Void
    ) { writer(url) }

    /// Runs a block that reads one file and writes another; `outError` stays as it is.
    open func coordinate(
        readingItemAt readingURL: URL,
        options readingOptions: ReadingOptions = [],
        writingItemAt writingURL: URL,
        options writingOptions: WritingOptions = [],
        error outError: NSErrorPointer,
        byAccessor readerWriter: (URL, URL) -> Void
    ) { readerWriter(readingURL, writingURL) }

    /// Runs a block that writes two files; `outError` stays as it is.
    open func coordinate(
        writingItemAt url1: URL,
        options options1: WritingOptions = [],
        writingItemAt url2: URL,
        options options2: WritingOptions = [],
        error outError: NSErrorPointer,
        byAccessor writer: (URL, URL) -> Void
    ) { writer(url1, url2) }
}
