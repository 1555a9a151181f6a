import Markup

/// The elements and attributes of model sources that are known.
///
/// Some have no meaning at run time: they are for Xcode's editor or its class generation.
enum ModelVocabulary {
    private struct Element {
        let attributes: Set<String>
        var children: Set<String> = []
    }

    private static let fetchRequest = Element(attributes: [
        "name", "entity", "predicateString", "resultType", "fetchLimit", "fetchBatchSize",
        "includeSubentities", "includePropertyValues", "returnObjectsAsFaults",
        "returnDistinctResults", "includesPendingChanges", "syncable",
    ])

    private static let common: Set<String> = [
        "name", "optional", "transient", "indexed", "spotlightIndexingEnabled",
        "storedInTruthFile", "elementID", "versionHashModifier", "syncable",
    ]

    private static let elements: [String: Element] = [
        "model": Element(
            attributes: [
                "type", "documentVersion", "userDefinedModelVersionIdentifier",
                "lastSavedToolsVersion", "systemVersion", "minimumToolsVersion",
                "sourceLanguage", "usedWithCloudKit", "usedWithSwiftData", "name",
                "macOSVersion", "iOSVersion",
            ],
            children: ["entity", "fetchRequest", "configuration", "composite", "elements"]
        ),
        "entity": Element(
            attributes: [
                "name", "representedClassName", "parentEntity", "isAbstract", "elementID",
                "versionHashModifier", "codeGenerationType", "syncable",
            ],
            children: [
                "attribute", "relationship", "fetchedProperty", "fetchIndex",
                "uniquenessConstraints", "compoundIndexes", "userInfo",
            ]
        ),
        "attribute": Element(
            attributes: common.union([
                "attributeType", "defaultValueString", "defaultDateTimeInterval",
                "minValueString", "maxValueString", "minDateTimeInterval",
                "maxDateTimeInterval", "regularExpressionString", "usesScalarValueType",
                "valueTransformerName", "customClassName", "allowsExternalBinaryDataStorage",
                "preserveAfterDeletion", "allowsCloudEncryption", "derived",
                "derivationExpression", "composite",
            ]),
            children: ["userInfo"]
        ),
        "relationship": Element(
            attributes: common.union([
                "toMany", "ordered", "minCount", "maxCount", "deletionRule",
                "destinationEntity", "inverseName", "inverseEntity",
            ]),
            children: ["userInfo"]
        ),
        "fetchedProperty": Element(attributes: common, children: ["fetchRequest", "userInfo"]),
        "fetchIndex": Element(attributes: ["name"], children: ["fetchIndexElement"]),
        "fetchIndexElement": Element(attributes: ["property", "type", "order"]),
        "uniquenessConstraints": Element(attributes: [], children: ["uniquenessConstraint"]),
        "uniquenessConstraint": Element(attributes: [], children: ["constraint"]),
        "constraint": Element(attributes: ["value"]),
        "compoundIndexes": Element(attributes: [], children: ["compoundIndex"]),
        "compoundIndex": Element(attributes: [], children: ["index"]),
        "index": Element(attributes: ["value"]),
        "userInfo": Element(attributes: [], children: ["entry"]),
        "entry": Element(attributes: ["key", "value"]),
        "fetchRequest": fetchRequest,
        "configuration": Element(
            attributes: ["name", "usedWithCloudKit"],
            children: ["memberEntity"]
        ),
        "memberEntity": Element(attributes: ["name"]),
        "composite": Element(attributes: ["name", "syncable"], children: ["attribute"]),
    ]

    /// Notes all elements and attributes in an element that are not known.
    ///
    /// The markup reader limits how deep this goes.
    static func check(_ element: MarkupElement, into unrecognized: UnrecognizedParts) {
        // What the editor shows where.
        guard let known = elements[element.name], element.name != "elements" else { return }
        let place = "Line \(element.line)"
        // By name, since a dictionary's order differs from run to run.
        for attribute in element.attributes.keys.sorted()
        where !known.attributes.contains(attribute) {
            unrecognized.note(
                "the attribute \(attribute) of <\(element.name)> is not known",
                at: place
            )
        }
        for child in element.children {
            if known.children.contains(child.name) {
                check(child, into: unrecognized)
            } else {
                unrecognized.note(
                    "the element <\(child.name)> in <\(element.name)> is not known",
                    at: "Line \(child.line)"
                )
            }
        }
    }
}
