import CoreData
import Foundation

/// Makes one call, on the context's queue or off it.
enum QueueChild {
    static func run(_ name: String, isOnQueue: Bool) throws {
        guard let call = QueueCall.named(name) else {
            throw UsageError(text: "there is no call \(name)")
        }
        let setting = try QueueSetting()
        if isOnQueue {
            try setting.context.inQueue { try call.make(setting) }
        } else {
            try call.make(setting)
        }
    }
}
