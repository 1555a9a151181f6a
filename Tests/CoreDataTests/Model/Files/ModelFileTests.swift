import Markup
import Testing

@testable import CoreData

/// Models from XML text, without files around them.
func readModel(_ xml: String) throws -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    let url = URL(fileURLWithPath: "/models/Test.xcdatamodel/contents")
    try ModelFileReader(url: url).read(try MarkupReader.read(Array(xml.utf8)), into: model)
    return model
}

func message(_ body: () throws -> Void) -> String {
    do {
        try body()
        return ""
    } catch {
        return error.localizedDescription
    }
}

@Suite struct ModelFileTests {
    @Test func attributesAreReadWithTheirDefaultsAndLimits() throws {
        let model = try readModel(
            """
            <model userDefinedModelVersionIdentifier="v1">
              <entity name="Thing" representedClassName=".Thing" elementID="OldThing"
                      versionHashModifier="m" codeGenerationType="class">
                <attribute name="small" attributeType="Integer 16" minValueString="-3"
                           maxValueString="9" defaultValueString="7" usesScalarValueType="YES"/>
                <attribute name="price" optional="YES" attributeType="Decimal"
                           defaultValueString="0.10"/>
                <attribute name="isOpen" attributeType="Boolean" defaultValueString="YES"/>
                <attribute name="isOld" attributeType="Boolean" defaultValueString="0.0"/>
                <attribute name="day" attributeType="Date" defaultDateTimeInterval="86400"
                           minDateTimeInterval="0" defaultValueString="tomorrow"/>
                <attribute name="code" attributeType="String" defaultValueString=""
                           minValueString="2" regularExpressionString="[A-Z]&#x2B;" indexed="YES"/>
                <attribute name="picture" attributeType="Transformable" customClassName="Image"
                           valueTransformerName="ImageTransformer"
                           preserveAfterDeletion="YES" allowsExternalBinaryDataStorage="YES"/>
                <attribute name="total" attributeType="Integer 64" derived="YES"
                           derivationExpression="parts.@count"/>
                <attribute name="scratch" transient="YES" elementID="oldScratch">
                  <userInfo><entry key="k" value="v &quot;w&quot; &amp;"/></userInfo>
                </attribute>
                <futureElement a="b"><attribute name="not read"/></futureElement>
              </entity>
            </model>
            """
        )
        let thing = try #require(model.entitiesByName["Thing"])
        #expect(model.versionIdentifiers == ["v1"])
        #expect(thing.managedObjectClassName == ".Thing")
        #expect(thing.renamingIdentifier == "OldThing")
        #expect(thing.versionHashModifier == "m")
        #expect(thing.codeGenerationType == "class")
        let attributes = thing.attributesByName
        #expect(attributes.count == 9)
        let small = try #require(attributes["small"])
        #expect(small.defaultValue as? Int == 7)
        #expect(small.type == .integer16 && small.bounds.minimum == -3 && small.bounds.maximum == 9)
        #expect(!small.isOptional && small.usesScalarValueType)
        #expect(
            attributes["price"]?.defaultValue as? NSDecimalNumber == NSDecimalNumber(string: "0.1")
        )
        #expect(attributes["price"]?.isOptional == true)
        #expect(attributes["isOpen"]?.defaultValue as? Bool == true)
        #expect(attributes["isOld"]?.defaultValue as? Bool == false)
        #expect(
            attributes["day"]?.defaultValue as? Date == Date(timeIntervalSinceReferenceDate: 86_400)
        )
        #expect(attributes["day"]?.bounds.earliest == 0)
        let code = try #require(attributes["code"])
        #expect(code.defaultValue as? String == "" && code.isIndexed)
        #expect(code.bounds.minimumLength == 2 && code.bounds.pattern?.source == "[A-Z]+")
        let picture = try #require(attributes["picture"])
        #expect(picture.valueTransformerName == "ImageTransformer")
        #expect(picture.attributeValueClassName == "Image")
        #expect(
            picture.preservesValueInHistoryOnDeletion && picture.allowsExternalBinaryDataStorage
        )
        #expect(
            (attributes["total"] as? NSDerivedAttributeDescription)?.derivationExpression?
                .description
                == "parts.@count"
        )
        let scratch = try #require(attributes["scratch"])
        #expect(scratch.isTransient && scratch.attributeType == .undefinedAttributeType)
        #expect(scratch.renamingIdentifier == "oldScratch")
        #expect(scratch.userInfo?["k"] as? String == "v \"w\" &")
        #expect(model.layout.entities[0].slots.count == 9)
    }

    @Test func relationshipsAreConnectedWhateverTheOrder() throws {
        let model = try readModel(
            """
            <model>
              <entity name="Child" parentEntity="Base">
                <relationship name="parent" minCount="1" maxCount="1" deletionRule="Nullify"
                    destinationEntity="Parent" inverseName="children" inverseEntity="Parent"/>
              </entity>
              <entity name="Parent">
                <relationship name="children" optional="YES" toMany="YES" ordered="YES"
                    deletionRule="Cascade" destinationEntity="Child" inverseName="parent"
                    inverseEntity="Child"/>
                <relationship name="some" toMany="YES" minCount="2" maxCount="9"
                    deletionRule="Deny" destinationEntity="Base"/>
                <fetchIndex name="byChildren">
                  <fetchIndexElement property="children" type="Binary" order="descending"/>
                </fetchIndex>
                <uniquenessConstraints/>
              </entity>
              <entity name="Base" isAbstract="YES"><attribute name="id" attributeType="UUID"/></entity>
              <configuration name="Part"><memberEntity name="Parent"/></configuration>
              <fetchRequest name="all" entity="Child" predicateString="id == $id" fetchLimit="5"/>
            </model>
            """
        )
        let child = try #require(model.entitiesByName["Child"])
        #expect(child.superentity?.name == "Base")
        #expect(child.properties.map(\.name) == ["id", "parent"])
        #expect(child.isKindOf(entity: try #require(child.superentity)))
        let parent = try #require(child.relationshipsByName["parent"])
        #expect(!parent.isToMany && parent.minCount == 1)
        let children = try #require(parent.inverseRelationship)
        #expect(children.name == "children" && children.isOrdered && children.maxCount == 0)
        #expect(children.deleteRule == .cascadeDeleteRule)
        let some = try #require(children.entity.relationshipsByName["some"])
        #expect(some.minCount == 2 && some.maxCount == 9 && some.deleteRule == .denyDeleteRule)
        let index = try #require(children.entity.indexes.first)
        #expect(index.name == "byChildren" && index.elements[0].isAscending == false)
        #expect(index.elements[0].property === children)
        #expect(model.configurations == ["Part"])
        #expect(model.entities(forConfigurationName: "Part")?.map(\.name) == ["Parent"])
        #expect(model.entities(forConfigurationName: nil)?.count == 3)
        #expect(model.requestTemplates["all"]?.fetchLimit == 5)
        #expect(child.relationships(forDestination: children.entity).map(\.name) == ["parent"])
    }

    /// Models of programs in use have such values.
    @Test(arguments: [
        "attributeType='Double' defaultValueString='a'",
        "attributeType='Integer 16' defaultValueString='many'",
        "attributeType='Date' defaultDateTimeInterval='soon'",
        "attributeType='UUID' defaultValueString='empy'",
        "attributeType='Decimal' defaultValueString='1,5,0'",
    ])
    func aDefaultValueOfAnotherTypeIsLeftOut(attribute: String) throws {
        let model = try readModel(
            "<model><entity name='A'><attribute name='x' \(attribute)/></entity></model>"
        )
        let property = try #require(model.entitiesByName["A"]?.attributesByName["x"])
        #expect(property.defaultValue == nil)
        #expect(model.unrecognizedParts.count == 1)
        #expect(model.unrecognizedParts.first?.contains("of A.x is none of its type") == true)
    }

    @Test(arguments: [
        ("<entity name='A' parentEntity='B'/>", "parent entity \"B\" of \"A\" does not exist"),
        ("<entity name='A'/><entity name='A'/>", "two entities named \"A\""),
        ("<entity name='A' parentEntity='A'/>", "inherits from itself"),
        (
            "<entity name='A' parentEntity='B'/><entity name='B' parentEntity='A'/>",
            "inherits from itself"
        ),
        ("<entity/>", "<entity> has no name"),
        (
            "<entity name='A'><relationship name='b' destinationEntity='B'/></entity>",
            "destination \"B\" of the relationship A.b does not exist"
        ),
        ("<entity name='A'><relationship name='b'/></entity>", "no destinationEntity"),
        (
            "<entity name='A'><relationship name='b' destinationEntity='A' inverseName='c'/></entity>",
            "inverse \"c\" of the relationship A.b does not exist"
        ),
        (
            "<entity name='A'><attribute name='x'/><attribute name='x'/></entity>",
            "two properties named \"x\""
        ),
        ("<entity name='A'><attribute name='x' attributeType='Int'/></entity>", "type \"Int\""),
        (
            "<entity name='A'><attribute name='x' attributeType='Double' minValueString='1x'/></entity>",
            "minValueString that is not a number"
        ),
        (
            "<entity name='A'><attribute name='x' attributeType='String' regularExpressionString='('/></entity>",
            "regular expression that is not valid"
        ),
        ("<configuration name='C'><memberEntity name='X'/></configuration>", "entity \"X\""),
        (
            "<entity name='A'><attribute name='x' attributeType='Composite' composite='P'/></entity>",
            "composite type \"P\""
        ),
        (
            "<entity name='A'><fetchIndex name='i'><fetchIndexElement property='p'/></fetchIndex></entity>",
            "index \"i\" of \"A\" is over \"p\""
        ),
        (
            "<entity name='A'><uniquenessConstraints><uniquenessConstraint><constraint value='p'/>"
                + "</uniquenessConstraint></uniquenessConstraints></entity>",
            "constraint of the entity \"A\" is over \"p\""
        ),
    ])
    func whatDanglesIsNamedWithFileAndLine(content: String, expected: String) {
        let text = message { _ = try readModel("<model>\n\(content)</model>") }
        #expect(text.contains(expected))
        #expect(text.contains("/models/Test.xcdatamodel/contents"))
    }

    @Test func compositesInCompositesAreReadAndCompiled() throws {
        let text = """
            <model>
            <entity name="Place"><attribute name="address" optional="YES"
            attributeType="Composite" composite="Address"/></entity>
            <composite name="Address"><attribute name="town" attributeType="String"/>
            <attribute name="street" attributeType="Composite" composite="Street"/></composite>
            <composite name="Street"><attribute name="number" attributeType="Integer 32"/>
            </composite>
            </model>
            """
        func paths(_ model: NSManagedObjectModel) throws -> [[String]] {
            let address = try #require(
                model.entitiesByName["Place"]?.attributesByName["address"]
                    as? NSCompositeAttributeDescription
            )
            return CompositeLayout(address).elements.map(\.path).sorted { $0[0] < $1[0] }
        }
        let model = try readModel(text)
        #expect(model.unrecognizedParts == [])
        #expect(try paths(model) == [["street", "number"], ["town"]])
        let compiled = NSManagedObjectModel()
        let (data, omissions) = ModelArchiveWriter.data(model, .compiled)
        #expect(omissions == [])
        try ModelArchiveReader.read(data, into: compiled)
        #expect(try paths(compiled) == [["street", "number"], ["town"]])
        let store = try MigrationFixture(model) { context in
            context.insert("Place", ["address": ["town": "Bern", "street": ["number": 3]]])
        }
        try store.open(compiled) { context in
            let request = NSFetchRequest<NSManagedObject>(entityName: "Place")
            request.predicate = NSPredicate(format: "address.street.number == 3")
            let places = try context.fetch(request)
            #expect(places.count == 1)
        }
    }

    @Test func compositesThatNeverEndAreRefused() {
        func composite(_ name: String, _ parts: [String]) -> String {
            "<composite name='\(name)'>"
                + parts.enumerated().map { number, type in
                    "<attribute name='a\(number)' attributeType='Composite' composite='\(type)'/>"
                }.joined() + "</composite>"
        }
        let place =
            "<entity name='Place'><attribute name='x' attributeType='Composite' composite='C0'/>"
            + "</entity>"
        let own = message {
            _ = try readModel(
                "<model>\(place)\(composite("C0", ["C1"]))\(composite("C1", ["C0"]))</model>"
            )
        }
        #expect(own.contains("\"C0\", which contains itself"))
        let many = (0..<12).map { composite("C\($0)", Array(repeating: "C\($0 + 1)", count: 10)) }
            .joined()
        let product = message {
            _ = try readModel("<model>\(place)\(many)<composite name='C12'/></model>")
        }
        #expect(product.contains("elements of composite attributes"))
        let deep = (0..<40).map { composite("C\($0)", ["C\($0 + 1)"]) }.joined()
        let chain = message {
            _ = try readModel("<model>\(place)\(deep)<composite name='C40'/></model>")
        }
        #expect(chain.contains("nested in more than"))
    }

    @Test func aDefaultOutOfItsTypesRangeIsNotedAndNeverWraps() throws {
        let model = try readModel(
            """
            <model><entity name="Note">
            <attribute name="a" attributeType="Integer 16" defaultValueString="70000"/>
            <attribute name="b" attributeType="Integer 32" defaultValueString="-3000000000"/>
            <attribute name="c" attributeType="Integer 16" defaultValueString="-32768"/>
            </entity></model>
            """
        )
        let attributes = try #require(model.entitiesByName["Note"]?.attributesByName)
        #expect(attributes["a"]?.defaultValue == nil && attributes["b"]?.defaultValue == nil)
        #expect(attributes["c"]?.defaultValue as? Int == -32_768)
        #expect(model.unrecognizedParts.count == 2)
        #expect(model.unrecognizedParts.first?.contains("default value 70000 of Note.a") == true)
    }

    @Test func whatACompiledModelCannotSayIsNoted() throws {
        let model = try readModel(
            """
            <model><entity name="Note"><attribute name="a" attributeType="String"
            storedInTruthFile="YES"/></entity></model>
            """
        )
        let (_, omissions) = ModelArchiveWriter.data(model, .compiled)
        #expect(omissions.count == 1)
        #expect(omissions.first?.hasPrefix("Note.a: it is to be stored in external") == true)
    }

    @Test func inheritanceThatNeverEndsIsRefused() {
        let chain = (0..<5_000).map { "<entity name='E\($0)' parentEntity='E\($0 + 1)'/>" }.joined()
        let text = message { _ = try readModel("<model>\(chain)<entity name='E5000'/></model>") }
        #expect(text.contains("more than 100 levels"))
        let wide = (0..<2_000).map { "<attribute name='a\($0)'/>" }.joined()
        let many = (0..<2_000).map { "<entity name='E\($0)' parentEntity='R'/>" }.joined()
        let product = message {
            _ = try readModel("<model><entity name='R'>\(wide)</entity>\(many)</model>")
        }
        #expect(product.contains("too many properties"))
    }
}
