// `import CoreData` brings Foundation with it, as Apple's framework does.
@_exported import Foundation
