import Catalogue
import CoreData
import MergeStack

// What a program does with its store, line by line; `Scripts/check-clients` compares the lines with
// expected.txt.
let url = URL(fileURLWithPath: CommandLine.arguments[1])
try makeOldStore(at: url)
let stack = try NotificationMergeStack(
    model: CatalogueModel.current(),
    stores: [NSPersistentStoreDescription(url: url)]
)
if CommandLine.arguments.count > 2 {
    // A mistake, which stops the program with a sentence.
    _ = Author(context: stack.mainContext).value(forKey: CommandLine.arguments[2])
}
try showMigratedRows(stack.mainContext)
try insert(into: stack.mainContext)
try showPredicates(stack.mainContext)
try showMerge(stack)
try showRefusal(stack.mainContext)
try stack.tearDown()
