import Foundation

/// Contexts in archives: their settings. Neither the parent store nor the objects are archived.
extension NSManagedObjectContext {
    var archivedSettings: DescriptionFields {
        var fields = DescriptionFields()
        fields["concurrencyType"] = Int(concurrencyType.rawValue)
        fields["name"] = name
        fields["transactionAuthor"] = transactionAuthor
        // Named so that false, which a missing field reads as, is the default.
        fields["keepsInaccessibleFaults"] = !shouldDeleteInaccessibleFaults
        fields["retainsRegisteredObjects"] = retainsRegisteredObjects
        fields["propagatesDeletesLate"] = !propagatesDeletesAtEndOfEvent
        fields["automaticallyMerges"] = automaticallyMergesChangesFromParent
        fields["stalenessInterval"] = stalenessInterval
        if let policy = mergePolicy as? NSMergePolicy {
            fields["mergeType"] = Int(policy.mergeType.rawValue)
        }
        return fields
    }

    func take(_ fields: DescriptionFields) {
        name = fields.text("name")
        transactionAuthor = fields.text("transactionAuthor")
        shouldDeleteInaccessibleFaults = !fields.isSet("keepsInaccessibleFaults")
        retainsRegisteredObjects = fields.isSet("retainsRegisteredObjects")
        propagatesDeletesAtEndOfEvent = !fields.isSet("propagatesDeletesLate")
        automaticallyMergesChangesFromParent = fields.isSet("automaticallyMerges")
        stalenessInterval = (fields["stalenessInterval"] as? NSNumber)?.doubleValue ?? -1
        let mergeType = fields.integer("mergeType").flatMap {
            NSMergePolicyType(rawValue: UInt(clamping: $0))
        }
        mergePolicy = NSMergePolicy(merge: mergeType ?? .errorMergePolicyType)
    }
}
