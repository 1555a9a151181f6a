#if PostgreSQL
import CTorture
import CoreData
import Foundation

/// A program that uses a store on a server, and is killed before one of its operations on the files of
/// its replica.
enum ReplicaChild {
    enum Step: String, CaseIterable {
        /// Saves, and closes the store.
        case save
        /// Opens the store, whose replica has to follow what others have saved.
        case follow
        /// Opens the store, for which there is no replica yet.
        case copy
    }

    static func itemName(_ save: Int) -> String { "victim-\(save)" }

    /// - Parameter options: Of these the seed is the number of the save, and the count that of the
    ///   operation, from 1.
    /// - Returns: If there are not so many.
    static func run(_ text: String, _ options: Options) throws {
        let place = try SharedPlace(text, options)
        guard let step = options.step.flatMap(Step.init), let number = options.count else {
            throw UsageError(text: "no step is named")
        }
        let save = Int(options.seed)
        faults_watch(place.replicas.path)
        if step != .save { faults_arm(FAULT_KILL, Int64(number), 0) }
        let stack = try place.open()
        if step == .save {
            faults_arm(FAULT_KILL, Int64(number), 0)
            try stack.save { context in
                context.make("Item", itemName(save)).setValue(Int64(save), forKey: "value")
                let shared = try context.only("Item", "shared")
                shared.setValue(Int64(save), forKey: "value")
            }
            print("saved")
            fflush(nil)
        }
        try stack.close()
        faults_disarm()
    }
}
#endif
