import Foundation

/// What becomes of changes to rows that someone else has changed meanwhile.
public enum NSMergePolicyType: UInt, Sendable {
    /// The save fails.
    case errorMergePolicyType = 0
    /// Property by property; where both changed one, the store's value stays.
    case mergeByPropertyStoreTrumpMergePolicyType = 1
    /// Property by property; where both changed one, the object's value is saved.
    case mergeByPropertyObjectTrumpMergePolicyType = 2
    /// The whole object is saved over the row.
    case overwriteMergePolicyType = 3
    /// The object's changes are dropped.
    case rollbackMergePolicyType = 4
}

/// Resolves the conflicts that a save finds. Subclass it for a policy of your own.
///
/// A conflict is a row that someone else has saved or deleted since this context read it. A row
/// that was deleted stays so under the two policies that merge by property and under roll-back;
/// overwriting inserts it again.
///
/// > Threading: Called on the queue of the context that saves.
open class NSMergePolicy: NSObject, @unchecked Sendable {
    // @unchecked: immutable.

    /// What the policy does.
    open private(set) var mergeType: NSMergePolicyType

    /// Makes a policy that does what `ty` says, unless its methods are overridden.
    public init(merge ty: NSMergePolicyType) {
        mergeType = ty
        super.init()
    }

    /// Conflicts make the save fail. The default.
    open class var error: NSMergePolicy { SharedPolicies.error }
    /// Property by property; where both changed one, the store's value stays.
    open class var mergeByPropertyStoreTrump: NSMergePolicy { SharedPolicies.storeTrump }
    /// Property by property; where both changed one, the object's value is saved.
    open class var mergeByPropertyObjectTrump: NSMergePolicy { SharedPolicies.objectTrump }
    /// The whole object is saved over the row.
    open class var overwrite: NSMergePolicy { SharedPolicies.overwrite }
    /// The object's changes are dropped.
    open class var rollback: NSMergePolicy { SharedPolicies.rollback }

    /// Resolves conflicts of all kinds: optimistic-locking ones first, then constraints.
    ///
    /// - Throws: The error that the save fails with, if it shall fail.
    open func resolve(mergeConflicts list: [Any]) throws {
        let conflicts = list.compactMap { $0 as? NSMergeConflict }
        if !conflicts.isEmpty { try resolve(optimisticLockingConflicts: conflicts) }
        let constraints = list.compactMap { $0 as? NSConstraintConflict }
        if !constraints.isEmpty { try resolve(constraintConflicts: constraints) }
    }

    /// Resolves conflicts of objects with rows that have changed.
    ///
    /// - Throws: `NSManagedObjectMergeError` under the error policy.
    open func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
        if mergeType == .errorMergePolicyType { throw CocoaError.mergeConflicts(list) }
        // What is saved again although its row is gone, others may stay related to.
        for conflict in list where conflict.isOfGoneRow { conflict.resolve(mergeType) }
        for conflict in list where !conflict.isOfGoneRow { conflict.resolve(mergeType) }
    }

    /// Resolves conflicts of objects whose values must be unique and are not.
    ///
    /// Where the store trumps, and under roll-back, a new object takes the place of the row that
    /// has the values, and the row stays as it is; where the object trumps, the row gets what was
    /// set of the new object, and under overwriting all of it. An object that has another row
    /// itself takes back its values, or the row that had them is deleted.
    ///
    /// - Throws: Under the error policy `NSManagedObjectConstraintMergeError`.
    open func resolve(constraintConflicts list: [NSConstraintConflict]) throws {
        if mergeType == .errorMergePolicyType { throw CocoaError.constraintConflicts(list) }
        for conflict in list { conflict.resolve(mergeType) }
    }
}

/// The policies that need no object of their own.
private enum SharedPolicies {
    static let error = NSMergePolicy(merge: .errorMergePolicyType)
    static let storeTrump = NSMergePolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    static let objectTrump = NSMergePolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    static let overwrite = NSMergePolicy(merge: .overwriteMergePolicyType)
    static let rollback = NSMergePolicy(merge: .rollbackMergePolicyType)
}

/// Conflicts make the save fail. The default.
public let NSErrorMergePolicy: AnyObject & Sendable = NSMergePolicy.error
/// Property by property; where both changed one, the store's value stays.
public let NSMergeByPropertyStoreTrumpMergePolicy: AnyObject & Sendable =
    NSMergePolicy.mergeByPropertyStoreTrump
/// Property by property; where both changed one, the object's value is saved.
public let NSMergeByPropertyObjectTrumpMergePolicy: AnyObject & Sendable =
    NSMergePolicy.mergeByPropertyObjectTrump
/// The whole object is saved over the row.
public let NSOverwriteMergePolicy: AnyObject & Sendable = NSMergePolicy.overwrite
/// The object's changes are dropped.
public let NSRollbackMergePolicy: AnyObject & Sendable = NSMergePolicy.rollback
