import Foundation

@testable import CoreData

/// The copy of a model in the form of Xcode's editor.
enum EditorArchive {
    /// How values are written: versions of Xcode differ in that.
    enum Style: CaseIterable {
        case plain
        /// Numbers are texts, flags are numbers, and texts are objects of their own. Counts that go
        /// without saying are left out.
        case texts
    }

    /// - Parameter constraints: What stands in each entity's list of uniqueness constraints, if not
    ///   its own.
    static func data(
        _ model: NSManagedObjectModel,
        style: Style = .plain,
        constraints: ((KeyedArchiveBuilder) -> [PropertyListValue])? = nil
    ) -> Data {
        let builder = KeyedArchiveBuilder()
        func flag(_ isOn: Bool) -> PropertyListValue {
            style == .plain ? .boolean(isOn) : .integer(isOn ? 1 : 0)
        }
        func number(_ number: Int64) -> PropertyListValue {
            style == .plain ? .integer(number) : builder.string("\(number)")
        }
        func text(_ text: String?) -> PropertyListValue {
            guard style == .texts, let text else { return builder.string(text) }
            return builder.object(
                ["NSMutableString", "NSString", "NSObject"],
                ["NS.string": .string(text)]
            )
        }
        var places: [String: Int] = [:]
        for entity in model.entities {
            places[entity.name ?? ""] = builder.reserve()
            for property in entity.ownProperties {
                places["\(entity.name ?? "").\(property.name)"] = builder.reserve()
            }
        }
        func reference(_ name: String?) -> PropertyListValue {
            name.flatMap { places[$0] }.map { .reference($0) } ?? KeyedArchiveBuilder.null
        }
        func named(_ names: [(String, PropertyListValue)]) -> PropertyListValue {
            builder.dictionary(
                names.map { (key: builder.string($0.0), value: $0.1) },
                isMutable: true
            )
        }
        func settings(_ values: [String: PropertyListValue]) -> PropertyListValue {
            let list = named(
                values.sorted { $0.key < $1.key }.map { name, value in
                    let setting = builder.object(
                        ["XDUMLPropertyImp"],
                        ["_name": builder.string(name), "_default": value]
                    )
                    return (name, setting)
                }
            )
            let stereotype = builder.object(
                ["XDUMLStereotypeImp"],
                ["_name": builder.string("S"), "XDBucketForOwnedAttributesstorage": list]
            )
            return named([("S", stereotype)])
        }
        for entity in model.entities {
            let name = entity.name ?? ""
            for property in entity.ownProperties {
                var values: [String: PropertyListValue] = [
                    "XD_PPSK_isOptional": flag(property.isOptional),
                    "XD_PPSK_isTransient": flag(property.isTransient),
                    "XD_PPSK_elementID": text(property.storedRenamingIdentifier),
                    "XD_PPSK_versionHashModifier": text(property.versionHashModifier),
                ]
                if let attribute = property as? NSAttributeDescription {
                    values["XD_PAttK_attributeType"] = number(
                        Int64(attribute.attributeType.rawValue)
                    )
                    values["XD_PAttK_allowsExternalBinaryDataStorage"] = flag(
                        attribute.allowsExternalBinaryDataStorage
                    )
                } else if let relationship = property as? NSRelationshipDescription {
                    let destination = relationship.destinationEntity?.name
                    let inverse = relationship.inverseRelationship
                    values["XD_PRK_minCount"] = number(Int64(relationship.minCount))
                    if style == .plain || relationship.maxCount != (relationship.isToMany ? 0 : 1) {
                        values["XD_PRK_maxCount"] = number(Int64(relationship.maxCount))
                    }
                    values["XD_PRK_isToMany"] = flag(relationship.isToMany)
                    values["XD_PRK_ordered"] = flag(relationship.isOrdered)
                    values["XD_PRK_destination"] = reference(destination)
                    values["XD_PRK_inverseRelationship"] = reference(
                        inverse.map { "\($0.declaringEntity?.name ?? "").\($0.name)" }
                    )
                }
                let className =
                    switch property {
                    case is NSAttributeDescription: "XDPMAttribute"
                    case is NSRelationshipDescription: "XDPMRelationship"
                    default: "XDPMFetchedProperty"
                    }
                builder.fill(
                    places["\(name).\(property.name)"] ?? 0,
                    [className],
                    [
                        "_name": builder.string(property.name), "_owner": reference(name),
                        "XDBucketForStereotypesstorage": settings(values),
                    ]
                )
            }
            let parent = entity.superentity.map { parent in
                builder.object(
                    ["XDUMLGeneralizationImp"],
                    ["_general": reference(parent.name), "_specific": reference(name)]
                )
            }
            builder.fill(
                places[name] ?? 0,
                ["XDPMEntity"],
                [
                    "_name": builder.string(name),
                    "XDBucketForStereotypesstorage": settings([
                        "XD_PSK_isAbstract": flag(entity.isAbstract),
                        "XD_PSK_elementID": text(entity.storedRenamingIdentifier),
                        "XD_PSK_versionHashModifier": text(entity.versionHashModifier),
                        "XDPMUniquenessConstraints": builder.array(
                            constraints?(builder)
                                ?? entity.uniqueKeyGroups.map { group in
                                    builder.array(group.map { text($0) })
                                },
                            isMutable: true
                        ),
                    ]),
                    "XDBucketForGeneralizationsstorage": builder.array(
                        parent.map { [$0] } ?? [],
                        isMutable: true
                    ),
                    "XDBucketForOwnedAttributesstorage": named(
                        entity.ownProperties.map { ($0.name, reference("\(name).\($0.name)")) }
                    ),
                ]
            )
        }
        let package = builder.object(
            ["XDModelPackage"],
            [
                "XDBucketForClassesstorage": named(
                    model.entities.map { ($0.name ?? "", reference($0.name)) }
                )
            ]
        )
        return builder.data(
            root: builder.object(["XDPMModel"], ["_xd_rootPackage": package])
        )
    }
}
